import { spawn } from 'node:child_process'
import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs'
import { PassThrough, pipeline } from 'node:stream'
import type { Readable } from 'node:stream'
import type { Program, ProgramEnd, RunningProgram } from '#lib/program.ts'
import { NotStarted } from '#lib/program.ts'
import { handedOver } from './pipes.ts'
import type { Pipes } from './pipes.ts'

/**
 * The hands that start processes: in a session of its own, so without a terminal, and with nothing to read unless it takes input. `through` are the
 * words of a command that runs the program in another place. Rejects with NotStarted.
 */
export async function startProgram(
  program: Program,
  through: readonly string[] = [],
  pipes?: Pipes,
): Promise<RunningProgram> {
  refuseMissing(program)
  const [command = '', ...args] = [...through, program.file, ...program.argv]
  const [out, err] = [await pipes?.take(), await pipes?.take()]
  try {
    const child = spawn(command, args, {
      cwd: program.cwd,
      env: { ...program.env },
      detached: true,
      shell: false,
      stdio: [program.takesInput ? 'pipe' : 'ignore', out?.input ?? 'pipe', err?.input ?? 'pipe'],
    })
    const exited = new Promise<ProgramEnd>((resolve) => {
      child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }))
    })
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', reject)
    })
    const [stdout, stderr] = [out?.output ?? child.stdout!, err?.output ?? child.stderr!]
    child.stdin?.on('error', () => undefined) // it is gone, and that is told by its end
    return { pid: child.pid!, stdin: child.stdin, stdout: hold(stdout), stderr: hold(stderr), exited }
  } catch (error) {
    for (const pipe of [out, err]) pipe?.output.destroy()
    throw new NotStarted(`${program.file} could not be started: ${explain(error)}`)
  } finally {
    handedOver(out, err)
  }
}

/** Node throws away what nobody reads by the time the process exits; this keeps it for whoever comes later. */
function hold(output: Readable): Readable {
  return pipeline(output, new PassThrough(), () => undefined)
}

/** The system says ENOENT for the folder as for the program; people want to know which. Throws NotStarted. */
export function refuseMissing({ file, cwd }: Program): void {
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
    throw new NotStarted(`The working directory ${cwd} is gone, or is not a folder.`)
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found) throw new NotStarted(`The program ${file} is not there.`)
  try {
    if (!found.isFile()) throw new Error('not a file')
    accessSync(file, constants.X_OK)
  } catch {
    throw new NotStarted(`The program ${file} is not a file that may be run.`)
  }
  const interpreter = interpreterOf(file)
  if (interpreter && !statSync(interpreter, { throwIfNoEntry: false }))
    throw new NotStarted(`The program ${file} needs ${interpreter}, which is not there.`)
}

/** What the first line of a script names. */
function interpreterOf(file: string): string | undefined {
  const head = Buffer.alloc(256)
  try {
    const handle = openSync(file, 'r')
    readSync(handle, head)
    closeSync(handle)
  } catch {
    return undefined // it may be run, but not be read
  }
  return /^#![ \t]*(\/[^ \t\r\n\0]+)/.exec(head.toString('latin1'))?.[1]
}

const known: Record<string, string> = {
  ENOENT: 'it, or the interpreter that its first line names, is not there',
  EACCES: 'this is not permitted',
  E2BIG: 'its arguments and environment are too long for the system',
  EAGAIN: 'the system allows no more processes',
  ENOMEM: 'there is not enough memory',
  ENOEXEC: 'it is not a program for this machine',
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error ? String(error.code) : ''
  return known[code] ? `${known[code]} (${code})` : error.message
}
