import { createRequire } from 'node:module'
import type * as PinoPretty from 'pino-pretty'
import { inert } from './inert-text.ts'

export interface LogConsole {
  write(line: string): void
}

/** Log lines on stderr: JSON, or readable ones where a person watches. */
export function openConsole(format: 'auto' | 'json' | 'pretty'): LogConsole {
  if (process.stderr.listenerCount('error', ignoreGone) === 0) process.stderr.on('error', ignoreGone)
  if (format === 'json' || (format === 'auto' && !process.stderr.isTTY)) {
    return { write: (line) => void process.stderr.write(line) }
  }
  const pretty = readable()
  return { write: (line) => void process.stderr.write(pretty(line)) }
}

/** Whoever read our stderr has gone. That is no reason to stop working. */
const ignoreGone = () => undefined

function readable(): (line: string) => string {
  // Loaded only where it is used: it costs memory, and most processes write JSON.
  const { prettyFactory }: typeof PinoPretty = createRequire(import.meta.url)('pino-pretty')
  const colorize = process.stderr.isTTY && !process.env['NO_COLOR']
  const format = prettyFactory({
    colorize,
    ignore: 'pid,hostname',
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss.l',
  })
  return (line) => {
    const entry: unknown = JSON.parse(line, (_, value: unknown) =>
      typeof value === 'string' ? inert(value) : value,
    )
    return format(entry) ?? line
  }
}
