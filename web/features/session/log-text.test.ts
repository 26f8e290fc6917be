import { expect, it } from 'vitest'
import { createLogText } from './log-text.ts'
import type { Limits } from './log-text.ts'

const esc = '\u001b'
const small: Limits = { lines: 100, characters: 100_000, lineLength: 50 }
const raws = (log: ReturnType<typeof createLogText>) => log.lines().map(({ raw }) => raw)

it('makes the same lines wherever the pieces end', () => {
  const whole = `one\r\ntwo ${esc}[31mred\nstill red${esc}[0m\n\nlast`
  for (let at = 0; at <= whole.length; at += 1) {
    const log = createLogText()
    log.append(whole.slice(0, at), 'stdout')
    log.append(whole.slice(at), 'stdout')
    expect(raws(log)).toEqual(['one', `two ${esc}[31mred`, `still red${esc}[0m`, '', 'last'])
    expect(log.lines().map(({ start }) => start.front)).toEqual([
      undefined,
      undefined,
      1,
      undefined,
      undefined,
    ])
    expect(log.plainText()).toBe('one\ntwo red\nstill red\n\nlast')
  }
})

it('keeps what was written to each stream apart, and their colours', () => {
  const log = createLogText()
  log.append(`${esc}[32mout`, 'stdout')
  log.append('err\n', 'stderr')
  log.append('more\n', 'stdout')
  expect(log.lines().map(({ raw, stream, start }) => [raw, stream, start.front])).toEqual([
    [`${esc}[32mout`, 'stdout', undefined],
    ['err', 'stderr', undefined],
    ['more', 'stdout', 2],
  ])
})

it('goes on in the next line when one is too long, and is copied as one', () => {
  const log = createLogText(small)
  log.append(`${esc}[31m${'x'.repeat(120)}`, 'stdout')
  log.append('y'.repeat(30), 'stdout')
  log.append('\nend', 'stdout')
  expect(log.lines().every(({ raw }) => raw.length <= 50)).toBe(true)
  expect(log.lines().map(({ isContinued }) => isContinued)).toEqual([false, true, true, true, false])
  expect(log.lines()[2]?.start.front).toBe(1)
  expect(log.plainText()).toBe(`${'x'.repeat(120)}${'y'.repeat(30)}\nend`)
})

it('cuts a long line neither inside a character nor inside a colour', () => {
  for (let before = 40; before < 52; before += 1) {
    const log = createLogText(small)
    log.append(`${'x'.repeat(before)}😀${esc}[38;5;196mred${'z'.repeat(60)}`, 'stdout')
    expect(log.plainText()).toBe(`${'x'.repeat(before)}😀red${'z'.repeat(60)}`)
    expect(raws(log).every((raw) => raw.isWellFormed())).toBe(true)
  }
})

it('does not grow with a line that is rewritten for ever', () => {
  const log = createLogText(small)
  for (let percent = 0; percent <= 10_000; percent += 1) log.append(`\r${esc}[33mat ${percent}`, 'stdout')
  expect(log.lines().length).toBe(1)
  expect(log.plainText()).toBe('at 10000')
  expect(log.lines()[0]?.raw.length).toBeLessThanOrEqual(50)
})

it('forgets the beginning of what is too much, and says how much that was', () => {
  const log = createLogText(small)
  for (let line = 0; line < 1000; line += 1) log.append(`line ${line}\n`, 'stdout')
  expect(log.lines().length).toBeLessThanOrEqual(105)
  expect(log.dropped() + log.lines().length).toBe(1000)
  expect(raws(log).at(-1)).toBe('line 999')
  expect(raws(log)[0]).toBe(`line ${log.dropped()}`)
})

it('does so too when few lines are too long', () => {
  const log = createLogText({ lines: 1_000_000, characters: 1000, lineLength: 500 })
  for (let line = 0; line < 50; line += 1) log.append(`${'x'.repeat(100)}\n`, 'stdout')
  expect(raws(log).join('').length).toBeLessThanOrEqual(1100)
  expect(log.dropped() + log.lines().length).toBe(50)
})
