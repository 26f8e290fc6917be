import type { Fields } from './fields.ts'
import { fieldsOf, isFields, numberOf, oneLine, textOf } from './fields.ts'

const logIn = 'Log in with `codex login`, or give the agent a key that is valid.'

/** Why a turn failed, in one line for people. */
export function describeFailure(error: unknown): string {
  if (!isFields(error)) return 'Codex gave no reason'
  const info = error['codexErrorInfo']
  const status = statusOf(info)
  const said = oneLine(readable(textOf(error['message']) ?? '')) || 'Codex gave no reason'
  const isMissingKey = said.startsWith('Missing environment variable')
  const words = [
    status !== undefined && !said.includes(String(status)) ? `${said} (HTTP ${status})` : said,
    ...(status === 401 || info === 'unauthorized' || isMissingKey ? [logIn] : []),
    ...(info === 'contextWindowExceeded' ? ['Begin a new session, or let it compact this one.'] : []),
  ]
  return words.map((part) => (/[.!?…]$/.test(part) ? part : `${part}.`)).join(' ')
}

interface Retry {
  text: string
  attempt?: number
  max?: number
}

/** What is told while Codex still tries: its message only counts, the details say why. */
export function describeRetry(error: Fields): Retry {
  const message = textOf(error['message']) ?? ''
  const details = textOf(error['additionalDetails'])
  const counted = /(\d+)\/(\d+)/.exec(message)
  return {
    text: oneLine(details ? `${message} (${readable(details)})` : message),
    ...(counted && { attempt: Number(counted[1]), max: Number(counted[2]) }),
  }
}

function statusOf(info: unknown): number | undefined {
  const [variant] = Object.values(fieldsOf(info))
  return numberOf(fieldsOf(variant)['httpStatusCode'])
}

/** Some providers' errors arrive as the JSON that they sent. */
function readable(message: string): string {
  if (!message.trimStart().startsWith('{')) return message
  try {
    const body = fieldsOf(JSON.parse(message))
    return textOf(fieldsOf(body['error'])['message']) ?? textOf(body['message']) ?? message
  } catch {
    return message
  }
}
