import { fits } from './glob.ts'

// How patterns over commands are read. What is asked for comes from whoever wants it: a pattern that allows is therefore read
// narrowly, and one that refuses or asks is read widely.

/** `..` up to where a name ends, however a shell or an address may spell it. `...` and `a..b` are none. */
const wayUp = /(?<!\.)(?:\.|%2e)["'\\]*(?:\.|%2e)(?![\w.-])|(?<![^\s/\\"'=:,@])\.["'\\]*[?*[]/i
/** With these one command becomes two, writes elsewhere, or is not what it looks like. */
const shellOperator = /[;&|<>(){}`$\r\n]/
const operatorOrWayUp = new RegExp(`${shellOperator.source}|${wayUp.source}`, 'i')

/** Where a shell may begin another command. */
const beginsCommand = /[;&|<>(){}`$\r\n]+|(?<=^|\s)(?:!|if|then|elif|else|while|until|do)(?=\s)/

/** A line that goes on in the next one. */
const brokenLine = /\\\r?\n/g
/** What a shell takes away before it looks for the program: `"rm"` and `r\m` are `rm`. */
const quoting = /["']|\\([^])/g
/** `A=1 B="two words" ` before a command. */
const assignments =
  /(^|[;&|<>(){}`\r\n]|(?<=^|\s)(?:!|if|then|elif|else|while|until|do)[ \t])[ \t]*(?:[A-Za-z_]\w*\+?=(?:"(?:\\[^]|[^"\\])*"|'[^']*'|\\[^]|[^\s"'\\;&|<>(){}`])*[ \t]+)+/g

/** Narrowly: a `*` stands for nothing with which a command does more than it seems to. */
export const coversCommand = (pattern: string, command: string): boolean =>
  fits(pattern, command, operatorOrWayUp)

/** Narrowly, where no shell reads it. */
export const coversPlace = (pattern: string, place: string): boolean => fits(pattern, place, wayUp)

/** Widely: also in the middle of a longer command, however it is spaced, quoted or broken into lines, and whatever is assigned first. */
export function mentions(pattern: string, command: string): boolean {
  const joined = command.replaceAll(brokenLine, '')
  const texts = new Set([command, joined, joined.replaceAll(assignments, '$1')])
  const parts = new Set([...texts].flatMap((text) => [text, ...text.split(beginsCommand)]))
  return [...parts].some((part) => {
    const plain = part.replaceAll(quoting, '$1')
    const readings = new Set([part, plain, singleSpaced(part), singleSpaced(plain)])
    return [...readings].some((reading) => fits(pattern, reading))
  })
}

const singleSpaced = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

interface Decides {
  pattern: string
  decision: 'allow' | 'ask' | 'deny'
}

/** The first rule that is about this command; none means that nothing speaks against it. */
export const ruleFor = <Rule extends Decides>(rules: readonly Rule[], command: string): Rule | undefined =>
  rules.find(({ pattern, decision }) =>
    decision === 'allow' ? coversCommand(pattern, command) : mentions(pattern, command),
  )
