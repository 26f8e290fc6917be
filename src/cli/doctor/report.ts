import { inertLine } from '#lib/inert-text.ts'
import { padTo, shorten, textWidth } from '#lib/text-width.ts'
import type { Colour, Screen } from '../screen.ts'
import type { Result, Verdict } from './probe.ts'

const marks: Record<Verdict, { mark: string; word: string; colour: Colour }> = {
  ok: { mark: '✓', word: 'ok', colour: 'green' },
  attention: { mark: '!', word: 'look', colour: 'yellow' },
  optional: { mark: '!', word: 'optional', colour: 'dim' },
  missing: { mark: '✗', word: 'missing', colour: 'red' },
}

export interface Section {
  title: string
  results: Result[]
}

export const isHealthy = (sections: readonly Section[]): boolean =>
  sections.every(({ results }) => results.every(({ verdict }) => verdict !== 'missing'))

/** One line for each finding, and below it what to do where something is to be done. */
export function writeReport(screen: Screen, sections: readonly Section[]): void {
  const all = sections.flatMap(({ results }) => results)
  const nameWidth = Math.max(...all.map(({ name }) => textWidth(name)))
  const purposeWidth = Math.max(...all.map(({ purpose }) => textWidth(purpose)))
  const indent = 2 + 2 + 9
  for (const { title, results } of sections) {
    screen.write(`${screen.paint('bold', title)}\n`)
    for (const { verdict, name, purpose, found, advice } of results) {
      const { mark, word, colour } = marks[verdict]
      const room = screen.width - indent - nameWidth - purposeWidth - 4
      const lines = inertLine(found)
      const what = room >= 20 ? shorten(lines, room) : lines
      screen.write(
        `  ${screen.paint(colour, `${mark} ${padTo(word, 9)}`)}${padTo(name, nameWidth)}  ` +
          `${screen.paint('dim', padTo(purpose, purposeWidth))}  ${what}\n`,
      )
      if (advice && verdict !== 'ok') screen.write(`${' '.repeat(indent)}→ ${inertLine(advice)}\n`)
    }
    screen.write('\n')
  }
  const bad = all.filter(({ verdict }) => verdict === 'missing').length
  const good = screen.paint('green', '✓ Everything required is here.')
  screen.write(
    bad === 0
      ? `${good}\n`
      : `${screen.paint('red', `✗ ${bad} required ${bad === 1 ? 'thing is' : 'things are'} missing.`)}\n`,
  )
}
