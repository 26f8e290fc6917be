import { readFileSync } from 'node:fs'
import { text as readText } from 'node:stream/consumers'
import type { CodeResult } from '#contract/execute.ts'
import { inert } from '#lib/inert-text.ts'
import { errorText } from './code-error.ts'
import type { Connection } from './connection.ts'
import { INTERRUPTED } from './ending.ts'
import { runCode } from './exec-socket.ts'
import { Failure } from './failure.ts'
import { print, printJson } from './output.ts'
import { screenOf } from './screen.ts'

export interface ExecOptions {
  cap: string[]
  context?: string
  timeout?: number
  memory?: number
  session?: string
  js?: boolean
  check: boolean
  confirm?: boolean
  json?: boolean
}

const BAD_USE = 2

/** Runs code and prints its result. Answers with the exit code. */
export async function exec(connection: Connection, file: string, options: ExecOptions): Promise<number> {
  const code = file === '-' ? await readText(process.stdin) : read(file)
  const isJavaScript = options.js ?? /\.[cm]?js$/.test(file)
  const wanted = {
    code,
    ...(isJavaScript && { typescript: false }),
    ...(!options.check && { check: false }),
    ...(options.cap.length > 0 && { capabilities: options.cap }),
    ...(options.context !== undefined && { context: contextOf(options.context) }),
    ...(options.timeout !== undefined && { timeout: options.timeout }),
    ...(options.memory !== undefined && { memoryLimit: options.memory }),
    ...(options.session !== undefined && { sessionId: options.session }),
    ...(options.confirm && { confirm: true }),
  }
  const cancel = new AbortController()
  const onInterrupt = () => cancel.abort()
  process.once('SIGINT', onInterrupt)
  const result = await runCode(connection, wanted, cancel.signal).finally(() =>
    process.off('SIGINT', onInterrupt),
  )
  if (result) await tell(result, { file, code, json: options.json ?? false })
  if (cancel.signal.aborted) return INTERRUPTED
  return result?.success ? 0 : 1
}

async function tell(
  { success, result, error, ...rest }: CodeResult,
  { file, code, json }: { file: string; code: string; json: boolean },
): Promise<void> {
  if (json) return printJson({ success, result, error, ...rest })
  const name = file === '-' ? 'stdin' : file
  if (error) process.stderr.write(errorText(screenOf(process.stderr, process.env), error, { name, code }))
  // What is on a terminal is read there; what goes elsewhere goes as it is.
  if (success && typeof result === 'string')
    await print(process.stdout, `${process.stdout.isTTY ? inert(result) : result}\n`)
  else if (success && result !== undefined) await printJson(result)
}

function contextOf(given: string): unknown {
  const text = given.startsWith('@') ? read(given.slice(1)) : given
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Failure(
      `--context is not JSON: ${error instanceof Error ? error.message : String(error)}`,
      BAD_USE,
    )
  }
}

function read(file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file))
  } catch (error) {
    const why = error instanceof TypeError ? 'it is not text in UTF-8' : whyOf(error)
    throw new Failure(`${file} cannot be read: ${why}`, BAD_USE)
  }
}

const whyOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
