import { join } from 'node:path'
import pino from 'pino'
import type { Logger } from 'pino'
import { openConsole } from './log-console.ts'
import { openLogFile } from './log-file.ts'
import type { LogFile } from './log-file.ts'
import { keepVariablesOutOfLogs, redactLine } from './redact.ts'

export type { Logger } from 'pino'

export interface LogOptions {
  dir: string
  level: string
  /** Of the console; `auto` is `pretty` in a terminal. Files are always JSON. */
  format: 'auto' | 'json' | 'pretty'
  retentionDays: number
  outputs: { type: 'console' | 'file'; path?: string | undefined; rotation: 'daily' | 'none' }[]
}

const filesOf = new WeakMap<Logger, LogFile[]>()

/** The log of one process: `name` is on every line and in the name of its file. Secrets are cut out of every line. */
export function openLog(options: LogOptions, name: string): Logger {
  keepVariablesOutOfLogs(process.env)
  const wantsConsole = options.outputs.some(({ type }) => type === 'console')
  const console = wantsConsole ? openConsole(options.format) : undefined
  const onTrouble = (error: unknown) => {
    const msg = `cannot write the log file: ${error instanceof Error ? error.message : String(error)}`
    const line = JSON.stringify({
      level: pino.levels.values['warn'],
      time: new Date().toISOString(),
      name,
      msg,
    })
    const shown = console ?? openConsole(options.format)
    shown.write(redactLine(line))
  }
  const files = options.outputs
    .filter(({ type }) => type === 'file')
    .map(({ path, rotation }) => {
      const place = path ?? join(options.dir, `signalbox-${name}.log`)
      return openLogFile(place, { rotation, retentionDays: options.retentionDays, onTrouble })
    })

  const outputs = console ? [console, ...files] : files
  const log = pino(
    {
      name,
      level: options.level,
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    {
      write: (line: string) => {
        const clean = redactLine(line)
        for (const output of outputs) output.write(clean)
      },
    },
  )
  filesOf.set(log, files)
  return log
}

/** Changes the level of a log and of its children, and how long its files are kept. */
export function tuneLog(
  log: Logger,
  { level, retentionDays }: Pick<LogOptions, 'level' | 'retentionDays'>,
): void {
  log.level = level // children have none of their own, so they follow
  for (const file of filesOf.get(log) ?? []) file.keepDays(retentionDays)
}
