import { isDeeperThan, mostDepth } from './depth.ts'
import type { GuestError } from './run.ts'

const longestMessage = 20_000

/** What the inside says of an error. It may have been led astray by the code that it runs: nothing of it is taken for granted. */
export function guestError(text: string): GuestError {
  const told = parsed(text)
  if (typeof told !== 'object' || told === null)
    return { name: 'Error', message: 'An error that cannot be told' }
  const { name, message, stack, code, kind, details, thrown } = told as Record<string, unknown>
  return {
    name: typeof name === 'string' ? name.slice(0, longestMessage) : 'Error',
    message: typeof message === 'string' ? message.slice(0, longestMessage) : '',
    ...(typeof stack === 'string' ? { stack: stack.slice(0, longestMessage) } : {}),
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof kind === 'string' ? { kind } : {}),
    ...(details === undefined || isDeeperThan(text, mostDepth) ? {} : { details }),
    ...(thrown === true ? { thrown } : {}),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What QuickJS says of what was thrown: `Name: message`. */
export function spokenError(text: string): GuestError {
  const [, name = 'Error', message = text] = /^(\w+): ([\s\S]*)$/.exec(text) ?? []
  return { name, message: message.slice(0, longestMessage) }
}
