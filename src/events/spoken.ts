import type { LogStream } from '#contract/execution.ts'
import { chunkOf } from './log-chunks.ts'

// What an agent says, as lines of a log: its words are stdout, everything else is told by us. Each event for itself, so that
// a reader who resumes anywhere reads the same.

export interface Spoken {
  stream: LogStream
  bytes: Buffer
}

/** The events of which something is to be read in a log. */
export const spokenTypes = [
  'data-terminal',
  'text-delta',
  'text-end',
  'tool-input-available',
  'tool-output-available',
  'tool-output-error',
  'tool-output-denied',
  'tool-approval-request',
  'tool-approval-response',
  'data-message',
  'data-notice',
  'data-session',
  'data-stall',
  'data-takeover',
  'error',
] as const

const longestLine = 300
const mostOutput = 2_000

type Payload = Record<string, unknown>

/** Nothing for events that a log does not tell of. */
export function spokenOf(type: string, payload: string): Spoken | undefined {
  if (type === 'data-terminal') return chunkOf(payload)
  if (!spokenTypes.some((spoken) => spoken === type)) return undefined
  const said: Payload = JSON.parse(payload)
  if (type === 'text-delta') return { stream: 'stdout', bytes: Buffer.from(textOf(said['delta'])) }
  if (type === 'text-end') return { stream: 'stdout', bytes: Buffer.from('\n') }
  const line = lineOf(type, said)
  return line === undefined ? undefined : { stream: 'system', bytes: Buffer.from(`${line}\n`) }
}

function lineOf(type: string, said: Payload): string | undefined {
  switch (type) {
    case 'tool-input-available':
      return `● ${textOf(said['toolName'])} ${short(said['title'] ?? said['input'])}`.trimEnd()
    case 'tool-output-available':
      return said['preliminary'] === true ? undefined : outputLines(said['output'])
    case 'tool-output-error':
      return `  ✗ ${short(said['errorText'])}`
    case 'tool-output-denied':
      return '  ✗ not allowed'
    case 'tool-approval-request':
      return `? ${short(said['title'])} (signalbox approve ${textOf(said['approvalId']).slice(-12)})`
    case 'tool-approval-response':
      return `  ${textOf(said['status'])}${said['by'] === 'policy' ? ' by policy' : ''}${said['reason'] ? `: ${short(said['reason'])}` : ''}`
    case 'data-message':
      return `> ${textOf(said['text']).replaceAll('\n', '\n> ')}`
    case 'data-session':
      return typeof said['note'] === 'string' ? said['note'] : undefined
    case 'data-stall':
      return typeof said['silentMs'] === 'number'
        ? `It has said nothing for ${Math.round(said['silentMs'] / 1000)} s`
        : 'It speaks again'
    case 'error':
      return textOf(said['errorText'])
    default:
      return textOf(said['text'])
  }
}

function outputLines(output: unknown): string | undefined {
  const text = textOf(output).trimEnd()
  if (text === '') return undefined
  const cut = text.length > mostOutput ? `${text.slice(0, mostOutput)} …` : text
  return `  ${cut.replaceAll('\n', '\n  ')}`
}

/** One line of it. */
function short(value: unknown): string {
  const line = textOf(value).replaceAll(/\s*\n\s*/g, ' ')
  return line.length > longestLine ? `${line.slice(0, longestLine)} …` : line
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)
