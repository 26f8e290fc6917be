import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closeSync, constants, openSync, rmSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'

const run = promisify(execFile)
const ready = 4

/** A pipe to read what a program writes. */
export interface Pipe {
  output: Readable
  /** For the program; to be closed here once it has it. */
  input: number
}

/** Pipes that are made ahead, because making one takes a program of its own. */
export interface Pipes {
  /** Undefined when none can be had at present. */
  take(): Promise<Pipe | undefined>
}

/**
 * What Node calls a pipe is a socket, and a program cannot open a socket again: `echo hello > /dev/stderr` would fail in every
 * script. These are real ones, by way of a named pipe whose name is gone before anyone sees it.
 */
export function openPipes(folder: string): Pipes {
  const spares: Promise<Pipe | undefined>[] = []
  const refill = () => {
    while (spares.length < ready) spares.push(makePipe(folder).catch(() => undefined))
  }
  refill()
  return {
    async take() {
      const pipe = await spares.shift()
      refill()
      return pipe
    },
  }
}

async function makePipe(folder: string): Promise<Pipe> {
  const name = join(folder, `pipe-${randomUUID().slice(0, 8)}`)
  try {
    await run('mkfifo', ['-m', '600', name])
    const reading = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK)
    const input = openSync(name, constants.O_WRONLY)
    return { output: new Socket({ fd: reading, readable: true, writable: false }), input }
  } finally {
    rmSync(name, { force: true })
  }
}

/** The program has it now, or never will. */
export function handedOver(...pipes: (Pipe | undefined)[]): void {
  for (const pipe of pipes) if (pipe) closeSync(pipe.input)
}
