import { StatusChange } from '#contract/execution.ts'
import type { StoredEvent } from '#db/events.ts'
import { spokenOf } from '#events/spoken.ts'
import { openFilter } from './filter.ts'

export const plain = '\x1b[0m'
export const dim = '\x1b[2m'
const [bold, red, yellow, blue] = ['\x1b[1m', '\x1b[31m', '\x1b[33m', '\x1b[34m']
const styles: Record<string, string> = {
  'data-message': bold + blue,
  'tool-input-available': bold,
  'tool-output-available': dim,
  'tool-output-error': red,
  'tool-output-denied': red,
  'tool-approval-request': yellow,
  'tool-approval-response': yellow,
  'data-notice': dim,
  'data-session': dim,
  'data-stall': dim,
  error: red,
}

/** What comes in pieces of any length, and goes on where the one before ended. */
const flowing = new Set(['data-terminal', 'text-delta', 'text-end'])
/** They move the cursor: in a line of ours they would write over what it says. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const moving = /[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]|\r(?!\n)/g

/** The events of a session, one after the other, as what a terminal shows of them; nothing for those that it does not. */
export type SessionText = (event: Pick<StoredEvent, 'type' | 'payload'>) => Buffer | undefined

export function openSessionText(): SessionText {
  const newFilter = () => openFilter({ onlyColours: true })
  let flow = newFilter()
  let flows = ''
  let isInLine = false

  function asFlow(type: string, bytes: Buffer): Buffer {
    // What one has begun and not ended is not the beginning of what another says.
    const from = type === 'data-terminal' ? 'program' : 'agent'
    if (from !== flows) flow = newFilter()
    flows = from
    const text = withReturns(flow(bytes))
    if (text) isInLine = !text.endsWith('\n')
    return Buffer.from(text, 'latin1')
  }

  /** On lines of its own, looking as it should whatever was written before. */
  function asLines(style: string, bytes: Buffer): Buffer {
    const text = withReturns(newFilter()(bytes)).replaceAll(moving, '')
    const breaks = isInLine ? '\r\n' : ''
    isInLine = false
    // One line after the other: what is cut off somewhere does not colour what follows.
    const styled = text.replaceAll(/[^\r\n]+/g, (line) => `${plain}${style}${line}${plain}`)
    return Buffer.from(`${breaks}${styled}`, 'latin1')
  }

  return ({ type, payload }) => {
    if (type === 'data-status') {
      const line = statusLine(payload)
      flows = '' // whatever comes next is of another
      return line === undefined ? undefined : asLines(dim, Buffer.from(line))
    }
    const said = spokenOf(type, payload)
    if (!said || said.bytes.length === 0) return undefined
    return flowing.has(type) ? asFlow(type, said.bytes) : asLines(styles[type] ?? '', said.bytes)
  }
}

const withReturns = (bytes: Buffer): string => bytes.toString('latin1').replaceAll(/\r?\n/g, '\r\n')

function statusLine(payload: string): string | undefined {
  const { status, error, exitCode } = StatusChange.catch({ status: 'queued' }).parse(JSON.parse(payload))
  if (status === 'queued') return undefined
  const why = error ? `: ${error}` : exitCode ? ` (exit code ${exitCode})` : ''
  return `── ${status.replaceAll('_', ' ')}${why} ──\n`
}
