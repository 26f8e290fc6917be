import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { ProgramSchema } from '#contract/discovery.ts'
import { LookerLost } from '#discovery/port.ts'
import type { AskModel, DescribeHow, Discovery, Habits, Look, LookHow } from '#discovery/port.ts'
import { environmentFor } from '#lib/environment.ts'
import type { Asked, FromDiscovery, ToDiscovery } from './discovery-messages.ts'

const program = fileURLToPath(new URL('./discovery.ts', import.meta.url))
/** What says where people keep what it reads. */
const places = [
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_DATA_DIRS',
  'HISTFILE',
  'ZDOTDIR',
  'FPATH',
  'MANPATH',
]
/** Without work for so long, it ends: no process, no memory. */
const idleMs = 15_000
/** One that has not let go of what was called off by then never will: what it read is too much for it. */
const lettingGoMs = 30_000

interface How {
  signal?: AbortSignal | undefined
  onProgress?: LookHow['onProgress']
  model?: AskModel | undefined
  onUnasked?: DescribeHow['onUnasked'] | undefined
}

interface Waiting extends How {
  onAnswer: (answer: unknown) => void
  onFailure: (error: Error) => void
}

/** What nobody waits for is done when there is nothing else to do. */
const lowPriority = 10

interface Apart {
  env: NodeJS.ProcessEnv
  hidden: readonly string[]
  /** Nobody waits for what it is asked. On a busy machine that may take a hundred times as long. */
  isBehind?: boolean
}

/** Discovery in a process of its own, with nothing of ours; it is there while there is something to do. */
export function openDiscoveryApart(
  { env, hidden, isBehind = false }: Apart,
  { restMs = idleMs, patienceMs = lettingGoMs } = {},
): Discovery & { pid(): number | undefined } {
  const waiting = new Map<number, Waiting>()
  const calledOff = new Map<number, NodeJS.Timeout>()
  let child: ChildProcess | undefined
  let resting: NodeJS.Timeout | undefined
  let lastId = 0
  let isClosed = false

  function open(): ChildProcess {
    const opened = fork(program, [String(isBehind ? lowPriority : 0), ...hidden], {
      env: environmentFor(env, places),
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    opened.on('message', (message: FromDiscovery) => hear(opened, message))
    opened.on('error', () => lost(opened))
    opened.on('exit', () => lost(opened))
    return opened
  }

  function lost(it: ChildProcess): void {
    if (it !== child) return
    child = undefined
    for (const late of calledOff.values()) clearTimeout(late)
    calledOff.clear()
    for (const { onFailure } of waiting.values())
      onFailure(
        new LookerLost('What looks at programs has ended, and is started again when it is next asked'),
      )
    waiting.clear()
  }

  function hear(it: ChildProcess, message: FromDiscovery): void {
    const one = waiting.get(message.id)
    if (!one) return letGo(message)
    if ('progress' in message) return one.onProgress?.(...message.progress)
    if ('unasked' in message) return one.onUnasked?.(message.unasked)
    if ('question' in message) return void askModel(it, message.id, one, message.question)
    if ('failure' in message) one.onFailure(new Error(message.failure))
    else one.onAnswer(message.answer)
    settled(message.id)
  }

  function letGo(message: FromDiscovery): void {
    if (!('failure' in message || 'answer' in message)) return
    clearTimeout(calledOff.get(message.id))
    calledOff.delete(message.id)
  }

  function settled(id: number): void {
    waiting.delete(id)
    if (waiting.size === 0) resting = setTimeout(() => void end(), restMs).unref()
  }

  /** Whoever called it off does not wait until the other side has heard of it. */
  function callOff(it: ChildProcess, id: number, reason: unknown): void {
    const one = waiting.get(id)
    if (!one) return
    one.onFailure(reason instanceof Error ? reason : new Error('It was called off'))
    tell(it, { id, calledOff: true })
    calledOff.set(id, setTimeout(() => it.kill('SIGKILL'), patienceMs).unref())
    settled(id)
  }

  async function askModel(it: ChildProcess, id: number, { model, signal }: Waiting, question: string) {
    const said = await (
      model?.(question, signal ?? new AbortController().signal) ?? Promise.reject(noModel)
    ).then(
      (answer) => ({ answer }),
      (error: unknown) => ({ failure: error instanceof Error ? error.message : String(error) }),
    )
    tell(it, { id, model: said })
  }

  function ask(asked: Asked, how: How = {}): Promise<unknown> {
    if (isClosed) return Promise.reject(new LookerLost('The worker is stopping'))
    how.signal?.throwIfAborted()
    clearTimeout(resting)
    const it = (child ??= open())
    const id = (lastId += 1)
    return new Promise((onAnswer, onFailure) => {
      waiting.set(id, { ...how, onAnswer, onFailure })
      how.signal?.addEventListener('abort', () => callOff(it, id, how.signal?.reason), { once: true })
      tell(it, { id, asked })
    })
  }

  async function end(): Promise<void> {
    const it = child
    if (!it) return
    const gone = new Promise((resolve) => it.once('exit', resolve))
    lost(it)
    // It ends what runs on its behalf first.
    if (it.connected) it.disconnect()
    const late = setTimeout(() => it.kill('SIGKILL'), 2_000)
    await gone
    clearTimeout(late)
  }

  return {
    look: async (folders, how) => (await ask({ what: 'look', folders }, how)) as Look,
    describe: async (program, how = {}) =>
      (await ask({ what: 'describe', program, hasModel: how.model !== undefined }, how)) as ProgramSchema,
    habits: async (home) => (await ask({ what: 'habits', home })) as Habits,
    version: async (program, signal) =>
      (await ask({ what: 'version', program }, { signal })) as string | undefined,
    async close() {
      isClosed = true
      clearTimeout(resting)
      await end()
    },
    pid: () => child?.pid,
  }
}

const noModel = new Error('There is no model to ask')
// A process that has just ended cannot be told anything: whoever waits hears of its end.
const tell = (it: ChildProcess, message: ToDiscovery): void =>
  void (it.connected && it.send(message, () => undefined))
