import type { AppState } from '#contract/host.ts'
import type { EnclosedProgram, Program } from '#lib/program.ts'
import { acceptsInside } from './connect-inside.ts'
import { openLastWords } from './last-words.ts'
import { pause } from './pause.ts'

export interface AppAsked {
  /** For `sh -c`. */
  command: string
  port: number
}

export interface AppHands {
  /** Rejects with NotStarted. */
  start(program: Program, mark: string): Promise<EnclosedProgram>
  mark: string
  cwd: string
  /** What it knows of the machine; PORT and HOST come on top. */
  env: Readonly<Record<string, string>>
  pace?: AppPace
}

export interface AppPace {
  /** Before the first new start; doubled for each one that follows. */
  firstMs: number
  longestMs: number
  /** One that has lived for this long was no failure. */
  livedMs: number
  graceMs: number
  lookMs: number
}

/** The app's own server in a workspace: kept alive from `start` to `stop`. Nothing here rejects. */
export interface App {
  state(): AppState
  /** Nothing changes when it is already kept alive. */
  start(): AppState
  /** Resolves once all of it is dead. */
  stop(): Promise<AppState>
  restart(): Promise<AppState>
}

const usualPace: AppPace = {
  firstMs: 500,
  longestMs: 30_000,
  livedMs: 60_000,
  graceMs: 5_000,
  lookMs: 100,
}
const keptBytes = 65_536
const failingAfter = 5

/** Begins nothing before it is told to. */
export function openApp(asked: AppAsked, hands: AppHands): App {
  const { command, port } = asked
  const pace = hands.pace ?? usualPace
  const words = openLastWords(keptBytes)
  let state: AppState['state'] = 'stopped'
  let pid: number | null = null
  let restarts = 0
  let kept: { stopping: AbortController; over: Promise<void> } | undefined

  const note = (line: string) => words.add(Buffer.from(`[signalbox] ${line}\n`))
  const told = (): AppState => ({ state, command, port, pid, restarts, said: words.text() })

  async function keepAlive(stop: AbortSignal): Promise<void> {
    for (let failures = 0; !stop.aborted; restarts += 1) {
      state = failures >= failingAfter ? 'failing' : 'starting'
      const begun = Date.now()
      await live(stop)
      if (stop.aborted) break
      failures = Date.now() - begun >= pace.livedMs ? 0 : failures + 1
      state = failures >= failingAfter ? 'failing' : 'starting'
      const waitMs = Math.min(pace.longestMs, pace.firstMs * 2 ** Math.max(0, failures - 1))
      note(`It is started again in ${waitMs / 1000} s`)
      await pause(waitMs, stop)
    }
  }

  /** One life, from its start until all of it is dead. */
  async function live(stop: AbortSignal): Promise<void> {
    // Two cannot have the port, and what answers there would be taken for the app.
    if (await acceptsInside(port)) return note(`Another program already listens on port ${port}`)
    let running
    try {
      running = await hands.start(programOf(asked, hands), hands.mark)
    } catch (error) {
      return note(error instanceof Error ? error.message : String(error))
    }
    pid = running.pid
    for (const stream of [running.stdout, running.stderr]) {
      stream.on('data', (piece: Buffer) => words.add(piece))
      stream.on('error', () => undefined)
    }
    const over = new AbortController()
    void untilReady(over.signal)
    const end = await Promise.race([running.exited, aborted(stop)])
    over.abort()
    if (end) note(end.signal ? `It was ended by ${end.signal}` : `It ended with ${end.exitCode}`)
    if (!(await running.end(stop.aborted ? pace.graceMs : 0))) note('Something of it outlived SIGKILL')
    pid = null
  }

  async function untilReady(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      const accepts = await acceptsInside(port)
      if (over.aborted) return
      if (accepts) {
        state = 'running'
        return
      }
      await pause(pace.lookMs, over)
    }
  }

  function start(): AppState {
    if (!kept || kept.stopping.signal.aborted) {
      const before = kept?.over
      const stopping = new AbortController()
      state = 'starting'
      kept = { stopping, over: Promise.resolve(before).then(() => keepAlive(stopping.signal)) }
    }
    return told()
  }

  async function stop(): Promise<AppState> {
    const ending = kept
    if (ending) {
      ending.stopping.abort()
      await ending.over
      if (kept === ending) {
        kept = undefined
        state = 'stopped'
      }
    }
    return told()
  }

  return {
    state: told,
    start,
    stop,
    async restart() {
      await stop()
      return start()
    },
  }
}

function programOf({ command, port }: AppAsked, { cwd, env }: AppHands): Program {
  return {
    file: '/bin/sh',
    argv: ['-c', command],
    env: { ...env, PORT: String(port), HOST: '127.0.0.1' },
    cwd,
  }
}

const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined)
    else signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
