import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { CommandAnswer, CommandAsked } from '#contract/workspace-tool.ts'
import { NotStarted } from '#lib/program.ts'
import type { EnclosedProgram, ProgramEnd } from '#lib/program.ts'
import { ToolRefused } from '#lib/tool-refused.ts'
import type { Confined } from '../confined.ts'
import type { ToolSurroundings } from '../open-tools.ts'
import { CapturedOutput } from './captured-output.ts'
import { refuseByRules } from './command-asked.ts'
import { gather } from './gather-output.ts'
import type { KeptOutputs } from './kept-outputs.ts'
import { givenUp } from './open-file.ts'

const mostAtOnce = 8
const graceMs = 2_000
/** How long what a command left running may hold its output open. */
const lastWordsMs = 1_000

export type Hear = (stream: 'stdout' | 'stderr', piece: Buffer) => Promise<void> | void
type Answer = Omit<CommandAnswer, 'executionTime'>

/** Runs commands of a shell, a few at a time. */
export class Commands {
  #running = 0
  readonly #unfinished = new Set<Promise<unknown>>()
  readonly #closing = new AbortController()
  readonly #surroundings: ToolSurroundings
  readonly #files: Confined
  readonly #outputs: KeptOutputs

  constructor(surroundings: ToolSurroundings, files: Confined, outputs: KeptOutputs) {
    this.#surroundings = surroundings
    this.#files = files
    this.#outputs = outputs
  }

  /** Rejects with ToolRefused. */
  run(asked: CommandAsked, signal: AbortSignal, hear?: Hear): Promise<Answer> {
    refuseByRules(this.#surroundings.commandRules(), asked)
    if (this.#running >= mostAtOnce)
      throw new ToolRefused(
        'workspace_busy',
        `${mostAtOnce} commands run in this workspace already. Try again when one of them is done`,
      )
    const running = this.#run(asked, AbortSignal.any([signal, this.#closing.signal]), hear)
    this.#running += 1
    void this.#keep(running).finally(() => (this.#running -= 1))
    return running
  }

  /** Ends all that run. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all(this.#unfinished)
  }

  /** So that nobody leaves before it is done. */
  async #keep(doing: Promise<unknown>): Promise<void> {
    const done = doing.catch(() => undefined)
    this.#unfinished.add(done)
    await done
    this.#unfinished.delete(done)
  }

  async #run(asked: CommandAsked, signal: AbortSignal, hear?: Hear): Promise<Answer> {
    const program = await this.#start(asked)
    const [stdout, stderr] = [new CapturedOutput(this.#outputs), new CapturedOutput(this.#outputs)]
    const said = gather({
      stdout: [program.stdout, (piece) => Promise.all([stdout.take(piece), hear?.('stdout', piece)])],
      stderr: [program.stderr, (piece) => Promise.all([stderr.take(piece), hear?.('stderr', piece)])],
    })
    const immortal = Promise.withResolvers<ProgramEnd>()
    const end = async () => {
      if (!(await program.end(graceMs))) immortal.resolve({ exitCode: null, signal: null })
    }
    let [hasExited, timedOut] = [false, false]
    const timer = setTimeout(() => {
      timedOut = !hasExited
      void end()
    }, asked.timeout)
    const abort = () => void end()
    signal.addEventListener('abort', abort)
    if (signal.aborted) abort()
    try {
      const { exitCode, signal: by } = await Promise.race([program.exited, immortal.promise])
      hasExited = true
      const isSilent = await Promise.race([
        said.all.then(() => true),
        wait(lastWordsMs, false, { ref: false }),
      ])
      const gone = this.#keep(end()) // whatever it left running
      // What ended by itself and holds nothing need not be waited for.
      if (!isSilent || timedOut || signal.aborted) await gone
      await said.end(lastWordsMs)
      if (signal.aborted) throw givenUp()
      const [out, err] = [await stdout.close(), await stderr.close()]
      return {
        stdout: out.text,
        stderr: err.text,
        exitCode,
        signal: by,
        timedOut,
        ...(out.rest && { stdoutRest: out.rest }),
        ...(err.rest && { stderrRest: err.rest }),
      }
    } catch (error) {
      await Promise.all([stdout.discard(), stderr.discard()])
      throw error
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    }
  }

  async #start({ command, cwd = '.', env }: CommandAsked): Promise<EnclosedProgram> {
    const top = this.#files.path.replace(/\/$/, '')
    const folder = await this.#files.in(cwd, ({ path }) =>
      path === '.' ? this.#files.path : `${top}/${path}`,
    )
    const program = {
      file: '/bin/sh',
      argv: ['-c', command],
      env: { ...this.#surroundings.env, ...env },
      cwd: folder,
    }
    try {
      return await this.#surroundings.start(program, `command:${randomUUID()}`)
    } catch (error) {
      if (error instanceof NotStarted) throw new ToolRefused('command_not_started', error.message)
      throw error
    }
  }
}
