import type { ModelMessage } from 'ai'
import type { Logger } from 'pino'
import type { Chat, ChatHistory, TurnEnded, TurnHands } from '#chat/port.ts'
import type { Config } from '#config/config.ts'
import type { Chunk, Prompt } from '#contract/agent-event.ts'
import type { ExecutionRow } from '#db/executions.ts'
import { isDatabaseAway } from '#db/failure.ts'
import type { HandOver } from '#db/hand-over.ts'
import { LeaseLost } from '#db/leases.ts'
import type { DatabasePool } from '#db/pool.ts'
import type { Ended } from '#domain/execution.ts'
import { configuredRules } from '#domain/policy.ts'
import { Problem } from '#domain/problem.ts'
import { noteDelivery } from '#flows/note-delivery.ts'
import { packTurn } from '#flows/pack-turns.ts'
import type { Driving } from '../drive.ts'
import type { MachineTools } from '../tools/machine-tools.ts'
import { openCalls } from './calls.ts'
import { openChatLog } from './chat-log.ts'
import { openCommands } from './commands.ts'
import type { Command } from './commands.ts'
import { planChat } from './plan-chat.ts'
import type { ChatPlan } from './plan-chat.ts'
import { readHistory } from './ready-chat.ts'
import type { ReadyChat } from './ready-chat.ts'
import { watchSilence } from './silence.ts'
import { systemWords } from './system-words.ts'
import { toldSources } from './told-sources.ts'
import { openTurnClock } from './turn-clock.ts'
import { openWaits } from './waits.ts'

export interface ChatNeeds {
  pool: DatabasePool
  log: Logger
  config: () => Config
  handOver: HandOver
  chat: () => Promise<Chat>
  tools: () => Promise<Pick<MachineTools, 'registry' | 'view' | 'askInstead'>>
}

/** Somebody, or its time, has ended the turn. */
class TurnStopped extends Error {
  readonly ended: Ended
  /** By which it was asked for. */
  readonly command: Command | undefined
  constructor(reason: 'turn_interrupted' | 'cancelled' | 'timed_out', command?: Command) {
    super(reason)
    this.ended = { reason, exitCode: null, signal: null, message: null }
    this.command = command
  }
}

/** How long calls that are under way are waited for when this worker leaves. */
const patienceMs = 2_000

/**
 * One turn with a model that this worker drives. All that it is stands in the session's log: whoever takes it up after a crash goes on
 * from there.
 */
export function driveChat(needs: ChatNeeds, row: ExecutionRow, ready?: ReadyChat): Driving {
  const { pool, log, config, handOver } = needs
  const rules = () => ({
    approvalExpiresMs: config().worker.approvalExpiresMs,
    configured: configuredRules(config().policies),
    handOver,
  })
  const said = openChatLog({ pool, rules }, row, ready?.taken)
  const stopped = new AbortController()
  const words: ModelMessage[] = []
  /** Calls that have reached their tools, and came to nothing yet. */
  const sent = new Set<string>()
  let onSettled: (() => void) | undefined
  let isInStep = false
  let hasLeft = false
  const waits = openWaits()
  const tellWord = Promise.withResolvers<(word: Command) => void>()
  tellWord.promise.catch(() => undefined) // whoever waits for it is told

  const commands = openCommands({
    pool,
    log,
    row,
    tellWord: tellWord.promise,
    onStop(command) {
      const reason = command.type === 'cancel' ? 'cancelled' : 'turn_interrupted'
      stopped.abort(new TurnStopped(reason, command))
    },
    isStopped: () => stopped.signal.aborted,
  })

  ready?.taken.then(
    (taken) => taken ?? stopped.abort(new LeaseLost(row.id)),
    (error: unknown) => stopped.abort(error),
  )

  async function run(): Promise<void> {
    const ended = row.status === 'cancelling' ? new TurnStopped('cancelled').ended : await turned()
    await said.end(ended)
  }

  async function turned(): Promise<Ended> {
    const chat = await needs.chat()
    const plan = ready?.plan ?? (await planChat({ db: pool.db, config: config(), chat }, row))
    const history = ready?.history ?? (await readHistory(pool.db, chat, row.sessionId, config().chat))
    words.push(...history.unheard)
    tellWord.resolve(({ id, payload }) => {
      const { text, files } = payload as Prompt
      history.takeWord(id, text, files)
      history.takeDelivery(id, true)
      words.push(chat.words(text, files))
    })
    commands.ring()
    const tools = await needs.tools()
    await toldSources(tools.registry, plan.caller, stopped.signal)
    const silence = watchSilence({
      stallMs: config().worker.stallAfterMs,
      isStalled: row.stalledSince !== null,
      clock: openTurnClock(plan.timeoutMs, () => stopped.abort(new TurnStopped('timed_out'))),
      tell: (chunk) => said.say({ type: 'chunk', payload: chunk }),
    })
    const { clock } = silence
    const { caller, limits, model } = plan
    const begun = new Set(
      history.open.map(({ toolCallId }) => toolCallId).filter((id) => history.hasBegun(id)),
    )
    const say = (chunk: Chunk) => {
      if (chunk.type === 'start-step' || chunk.type === 'finish-step') isInStep = chunk.type === 'start-step'
      silence.heard(chunk)
      history.take(chunk)
      said.say({ type: 'chunk', payload: chunk })
    }
    const call = openCalls({
      db: pool.db,
      log,
      tools,
      caller,
      hold(toolCallId) {
        const ends = [clock.hold(), waits.hold(toolCallId)]
        return () => {
          for (const end of ends.splice(0)) end()
        }
      },
      hasBegun: (id) => begun.has(id),
      begin: async (toolCallId) => {
        say({ type: 'data-call', data: { toolCallId } })
        await said.kept()
        sent.add(toolCallId)
      },
    })
    const hands: TurnHands = {
      say,
      kept: () => said.kept(),
      tell(usage) {
        history.take({ type: 'data-usage', data: usage })
        said.say({ type: 'usage', payload: usage })
      },
      tools: (inBrief) =>
        tools.view
          .listTools(caller, inBrief)
          .map(({ name, description = '', inputSchema }) => ({ name, description, inputSchema })),
      call(wanted, ...more) {
        waits.begin(wanted.toolCallId)
        return call(wanted, ...more).finally(() => settled(wanted.toolCallId))
      },
      heard: () => words.splice(0),
    }
    if (row.copiedTo === 0) tellSession(plan)
    try {
      if (isAnswered(history)) return done
      for (;;) {
        const ended = await chat.takeTurn(
          {
            model: model.name,
            system: systemWords(tools.view.instructions(caller)),
            history,
            limits,
            signal: stopped.signal,
          },
          hands,
        )
        await commands.takeNoMore()
        if (words.length === 0 || ended.how !== 'completed') return endedOf(ended)
        commands.takeMore()
      }
    } finally {
      clock.close()
    }
  }

  /** What the session is known as already is said, and nothing else happens. */
  function tellSession({ began, model, isAsBefore }: ChatPlan): void {
    const facts = { sessionRef: row.sessionId, began, model: model.name }
    if (isAsBefore) said.say({ type: 'chunk', payload: { type: 'data-session', data: facts } })
    else said.say({ type: 'session', payload: facts })
  }

  function settled(toolCallId: string): void {
    waits.end(toolCallId)
    sent.delete(toolCallId)
    if (sent.size === 0) onSettled?.()
  }

  /** What has reached its tool may come to its end; what waits for somebody's yes is asked again by whoever takes this up. */
  async function callsSettled(): Promise<void> {
    if (sent.size === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    onSettled = resolve
    const timer = setTimeout(resolve, patienceMs)
    await promise.finally(() => clearTimeout(timer))
  }

  /** What was said up to then stays said. */
  async function endStopped({ ended, command }: TurnStopped): Promise<void> {
    if (isInStep) said.say({ type: 'chunk', payload: { type: 'finish-step' } })
    await said.end(ended, async (tx) => {
      if (command) await noteDelivery(tx, row, command, { outcome: 'delivered' })
    })
  }

  async function endAfter(error: unknown): Promise<void> {
    const reason = stopped.signal.reason as unknown
    if (stopped.signal.aborted && reason instanceof TurnStopped) return endStopped(reason)
    if (error instanceof LeaseLost || isDatabaseAway(error)) throw error
    const isKnown = error instanceof Problem
    if (!isKnown) log.error({ err: error, execution: row.id }, 'a turn with a model went wrong')
    const message = isKnown ? error.message : 'It failed for a reason that Signalbox did not expect'
    await said.end({ reason: 'turn_failed', exitCode: null, signal: null, message })
  }

  /** What is not packed now is packed at night. */
  async function pack(): Promise<void> {
    if (hasLeft || !config().chat.compression) return
    await packTurn(pool, row.id).catch((error: unknown) =>
      log.debug({ err: error, execution: row.id }, 'a turn could not be packed yet'),
    )
  }

  const finished = run()
    .catch((error: unknown) => {
      tellWord.reject(error)
      if (!hasLeft) return endAfter(error)
    })
    .catch((error: unknown) => {
      if (hasLeft) return
      if (error instanceof LeaseLost)
        log.warn({ execution: row.id }, 'somebody else drives this execution now')
      else log.error({ err: error, execution: row.id }, 'a turn could not be driven; it is tried again')
    })
    .then(pack)
    .finally(() => {
      commands.close()
      said.close()
    })

  return {
    done: finished,
    ring: () => commands.ring(),
    isWaiting: () => waits.isWaiting(),
    async letGo() {
      hasLeft = true
      commands.close()
      // Nothing is taken back: people are asked the same by whoever takes this up.
      await callsSettled()
      if (isInStep) stopped.abort(new Error('The worker leaves'))
      await Promise.race([said.kept(), finished]).catch(() => undefined)
      said.close()
    },
  }
}

const done: Ended = { reason: 'turn_completed', exitCode: null, signal: null, message: null }

function endedOf(ended: TurnEnded): Ended {
  if (ended.how === 'completed') return done
  const reason = ended.how === 'limited' ? 'budget' : 'turn_failed'
  return { reason, exitCode: null, signal: null, message: ended.message }
}

/** The model has said its last word already: whoever drove this before had only to write down that it is over. */
function isAnswered({ messages, open, unheard }: ChatHistory): boolean {
  const last = messages.at(-1)
  return last?.role === 'assistant' && open.length === 0 && unheard.length === 0
}
