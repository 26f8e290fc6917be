import type { Logger } from 'pino'
import type { CallOutcome, InQueue, WantedCall } from '#chat/port.ts'
import { RUN_CODE } from '#contract/tool.ts'
import type { ToolResult } from '#contract/tool.ts'
import { openWishesOf } from '#db/code-runs.ts'
import type { Database } from '#db/pool.ts'
import { CallFailed } from '#tools/port.ts'
import type { Caller } from '#tools/port.ts'
import type { MachineTools } from '../tools/machine-tools.ts'

type AgentCaller = Extract<Caller, { kind: 'agent' }>

interface Needs {
  db: Database
  log: Logger
  tools: Pick<MachineTools, 'registry' | 'view' | 'askInstead'>
  caller: AgentCaller
  /** Somebody is asked for it, until what it answers with is called. */
  hold: (toolCallId: string) => () => void
  /** Whether an earlier worker has begun with it. */
  hasBegun: (toolCallId: string) => boolean
  /** Resolves when it is written down that this one is begun with. */
  begin: (toolCallId: string) => Promise<void>
}

/** Makes the calls that a model wants, as its agent. */
export function openCalls({ db, log, tools, caller, hold, hasBegun, begin }: Needs) {
  const { view, registry, askInstead } = tools

  /** Whether it can be made again although it may have been made. Code that waits for a person is gone on with, not run again. */
  async function isRepeatable({ toolName, input }: WantedCall): Promise<boolean> {
    const annotations = registry.find(caller, toolName)?.annotations
    if (annotations?.readOnlyHint === true || annotations?.idempotentHint === true) return true
    if (toolName !== RUN_CODE) return false
    const runs = await openWishesOf(db, caller.executionId)
    return runs.some(({ wanted }) => wanted.code === argsOf(input)['code'])
  }

  async function make(
    wanted: WantedCall,
    queue: InQueue,
    signal: AbortSignal,
    onQueued: () => void,
  ): Promise<ToolResult> {
    const { toolCallId, toolName, input } = wanted
    let goOn: (() => void) | undefined
    const onAsked = () => {
      goOn ??= hold(toolCallId)
      onQueued()
    }
    const asking = { ...caller, inChat: { toolCallId, ...queue, onAsked } }
    try {
      return await view.callTool(asking, toolName, argsOf(input), {
        signal,
        ask: (requests, by) =>
          by
            ? askInstead(caller, { by, requests }, signal)
            : Promise.reject(new CallFailed('source_failed', 'Nobody is there to answer what the tool asks')),
        whileAsking: async (work) => {
          const release = hold(toolCallId)
          onQueued()
          return work().finally(release)
        },
        beforeSend: async () => {
          goOn?.()
          await begin(toolCallId)
          onQueued()
        },
      })
    } finally {
      goOn?.()
    }
  }

  return async (
    wanted: WantedCall,
    queue: InQueue,
    signal: AbortSignal,
    onQueued: () => void,
  ): Promise<CallOutcome> => {
    try {
      if (hasBegun(wanted.toolCallId) && !(await isRepeatable(wanted))) return unknown
      return outcomeOf(await make(wanted, queue, signal, onQueued))
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof CallFailed)
        return error.reason === 'tool_refused'
          ? { how: 'refused', reason: error.message }
          : { how: 'failed', message: error.message }
      log.error({ err: error, tool: wanted.toolName }, 'a call of a chat failed')
      return { how: 'failed', message: 'It failed for a reason that Signalbox did not expect' }
    }
  }
}

const unknown: CallOutcome = {
  how: 'failed',
  message:
    'Signalbox was stopped while this was under way. Whether it was done is not known: look before you do it again',
}

const argsOf = (input: unknown): Record<string, unknown> =>
  typeof input === 'object' && input !== null && !Array.isArray(input)
    ? (input as Record<string, unknown>)
    : {}

/** What the model reads. What is no text is named. */
function outcomeOf({ content, structuredContent, isError }: ToolResult): CallOutcome {
  const texts = content.map((part) => (typeof part['text'] === 'string' ? part['text'] : `[${part['type']}]`))
  const text =
    texts.length > 0 || structuredContent === undefined ? texts.join('\n') : JSON.stringify(structuredContent)
  return { how: 'answered', output: text, text, isError: isError === true }
}
