import { asFailure, underway } from './call.ts'
import { isAllowedAll, isGranted } from './grants.ts'
import { measure } from './measure.ts'
import { shown } from './names.ts'
import { CallFailed } from './port.ts'
import type { Caller, CallHands } from './port.ts'
import type { Shelf } from './shelf.ts'

const largestAnswer = { agent: 2 * 1024 * 1024, person: 32 * 1024 * 1024 }

export interface Request {
  caller: Caller
  source: string
  method: string
  params: unknown
  hands: CallHands
}

/** Passes a request of MCP on to one source: whatever is not about its tools. Rejects with CallFailed. */
export async function passOn(request: Request, shelf: Shelf | undefined): Promise<unknown> {
  const { caller, method, params, hands } = request
  const name = shown(request.source)
  if (!shelf || !isGranted(caller, shelf.settings))
    throw new CallFailed('source_not_found', `There is no source ${name}.`, { isUnsent: true })
  if (!isAllowedAll(caller, shelf.source.name))
    throw new CallFailed(
      'tool_not_granted',
      `Of ${name} this agent may use some tools and nothing else. The owner can add ${name}.* to the agent's allowedTools.`,
      { isUnsent: true },
    )
  if (method.startsWith('tools/'))
    throw new CallFailed('tool_refused', 'Tools are called by their names, and never passed by.', {
      isUnsent: true,
    })
  const { source, rate, turns } = shelf
  if (!source.request)
    throw new CallFailed('source_failed', `${name} has tools and nothing else.`, { isUnsent: true })
  rate.take()
  return underway(shelf, `${name} ${shown(method)}`, hands, async (deadline, own) => {
    const leave = await turns.take(deadline.signal)
    try {
      const answer = await deadline.hold(
        Promise.resolve(source.request?.(caller, method, params, own)).catch((error: unknown) => {
          throw asFailure(error, name, deadline.signal)
        }),
      )
      return small(answer, caller, name)
    } finally {
      leave()
    }
  })
}

function small(answer: unknown, { kind }: Caller, name: string): unknown {
  const most = largestAnswer[kind]
  if (measure(answer, { most, deepest: 1_000 }).isWhole) return answer
  throw new CallFailed(
    'answer_too_large',
    `${name} answered with more than the ${most / 1024 / 1024} MB that can be passed on.`,
  )
}
