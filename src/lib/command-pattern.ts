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

/** Narrowly: a `*` stands for nothing with which a command does more than it seems to. */
export const coversCommand = (pattern: string, command: string): boolean =>
  fits(pattern, command, operatorOrWayUp)

/** Narrowly, where no shell reads it. */
export const coversPlace = (pattern: string, place: string): boolean => fits(pattern, place, wayUp)

/** Widely: also in the middle of a longer command, however it is spaced. */
export const mentions = (pattern: string, command: string): boolean =>
  [command, ...command.split(beginsCommand)]
    .flatMap((part) => [part, part.replaceAll(/\s+/g, ' ').trim()])
    .some((part) => fits(pattern, part))

interface Decides {
  pattern: string
  decision: 'allow' | 'ask' | 'deny'
}

/** The first rule that is about this command; none means that nothing speaks against it. */
export const ruleFor = <Rule extends Decides>(rules: readonly Rule[], command: string): Rule | undefined =>
  rules.find(({ pattern, decision }) =>
    decision === 'allow' ? coversCommand(pattern, command) : mentions(pattern, command),
  )
