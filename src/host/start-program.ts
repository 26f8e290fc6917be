import { spawn } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import type { Program, ProgramEnd, RunningProgram } from '#lib/program.ts'
import { NotStarted } from '#lib/program.ts'

/**
 * The hands that start processes: in a session of its own, so without a terminal, and with nothing to read.
 * Rejects with NotStarted.
 */
export async function startProgram(program: Program): Promise<RunningProgram> {
  refuseMissing(program)
  try {
    const child = spawn(program.file, program.argv, {
      cwd: program.cwd,
      env: { ...program.env },
      detached: true,
      shell: false,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const exited = new Promise<ProgramEnd>((resolve) => {
      child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }))
    })
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', reject)
    })
    return { pid: child.pid!, stdout: child.stdout, stderr: child.stderr, exited }
  } catch (error) {
    throw new NotStarted(`${program.file} could not be started: ${explain(error)}`)
  }
}

/** The system says ENOENT for the folder as for the program; people want to know which. */
function refuseMissing({ file, cwd }: Program): void {
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
