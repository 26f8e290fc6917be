import type { ApprovalAnswer, ApprovalAsked, ApprovalOption } from '#contract/agent-event.ts'
import { hashOfInput } from '#lib/input-hash.ts'
import { isObject, listIn, objectIn, textIn } from './json-value.ts'
import type { JsonObject } from './json-value.ts'
import type { Quirks } from './quirks.ts'
import { subjectsOf } from './subjects.ts'
import { beginToolCall, inputOf } from './tool-call.ts'
import type { ToolCall } from './tool-call.ts'
import type { RequestId } from './wire.ts'

/** A request of the agent that waits for a person. */
export interface Asked {
  rpcId: RequestId
  approval: ApprovalAsked
  /** What the agent is told. */
  granted: (answer: ApprovalAnswer) => object
  refused: (answer: Pick<ApprovalAnswer, 'optionId'>) => object
  /** Nobody will answer. */
  cancelled: object
}

const cancelled = { outcome: { outcome: 'cancelled' } }
const optionKinds = ['allow_once', 'allow_always', 'reject_once', 'reject_always'] as const

/** `session/request_permission`. Undefined when it cannot be understood. */
export function permissionAsked(
  rpcId: RequestId,
  requestId: string,
  params: JsonObject,
  known: ToolCall | undefined,
  quirks: Quirks,
): Asked | undefined {
  const told = objectIn(params, 'toolCall')
  const toolCallId = textIn(told, 'toolCallId')
  if (toolCallId === undefined || !Array.isArray(params['options'])) return undefined
  const call = mergeForQuestion(beginToolCall(told, toolCallId, quirks), known)
  const options = listIn(params, 'options').flatMap(optionOf)
  const approval: ApprovalAsked = {
    requestId,
    kind: call.kind === 'switch_mode' ? 'plan' : 'tool',
    tool: call.name,
    title: oneLine(call.title || call.name),
    input: inputOf(call),
    toolCallId,
    ...subjectsOf(call),
    readOnly: ['read', 'search', 'think'].includes(call.kind),
    options,
  }
  const select = (optionId: string | undefined) =>
    optionId === undefined ? cancelled : { outcome: { outcome: 'selected', optionId } }
  return {
    rpcId,
    approval,
    granted: ({ optionId }) => select(optionId ?? first(options, 'allow_once')),
    refused: ({ optionId }) => select(optionId ?? first(options, 'reject_once')),
    cancelled,
  }
}

/** `elicitation/create`: a form. Undefined when it cannot be understood, or is not a form. */
export function formAsked(rpcId: RequestId, requestId: string, params: JsonObject): Asked | undefined {
  const message = textIn(params, 'message')
  const schema = params['requestedSchema']
  if (message === undefined || !isObject(schema) || (params['mode'] ?? 'form') !== 'form') return undefined
  return {
    rpcId,
    approval: {
      requestId,
      kind: 'question',
      tool: 'question',
      title: oneLine(message),
      input: { message, schema },
      toolCallId: textIn(params, 'toolCallId') ?? null,
      subject: null,
      readOnly: false,
      options: [],
      schema,
    },
    granted: ({ content }) => ({ action: 'accept', content: content ?? {} }),
    refused: () => ({ action: 'decline' }),
    cancelled: { action: 'cancel' },
  }
}

/** Why this is no answer to what was asked; undefined when it is one. */
export function whyNoAnswer({ approval }: Asked, answer: ApprovalAnswer): string | undefined {
  if (answer.inputHash !== hashOfInput(approval)) return 'The answer is to something else than was asked.'
  if (answer.optionId === undefined) {
    if (approval.kind === 'question' || answer.decision === 'refused') return undefined
    if (first(approval.options, 'allow_once') !== undefined) return undefined
    return first(approval.options, 'allow_always') === undefined
      ? 'The agent offers no way to allow it.'
      : 'The agent offers no way to allow it for this once; to allow it for good, its own option has to be named.'
  }
  const option = approval.options.find(({ id }) => id === answer.optionId)
  if (!option) return `There is no option ${answer.optionId}.`
  const isAllow = option.kind.startsWith('allow')
  return isAllow === (answer.decision === 'granted')
    ? undefined
    : `The option ${option.id} means the opposite of ${answer.decision}.`
}

/** What the question shows comes first; what was told of the call before fills in what it leaves out. */
function mergeForQuestion(asked: ToolCall, known: ToolCall | undefined): ToolCall {
  if (!known) return asked
  return {
    ...asked,
    name: known.name,
    title: asked.title || known.title,
    kind: asked.kind === 'other' ? known.kind : asked.kind,
    rawInput: asked.rawInput ?? known.rawInput,
    content: asked.content.length > 0 ? asked.content : known.content,
    paths: [...new Set([...asked.paths, ...known.paths])],
  }
}

function optionOf(told: JsonObject): ApprovalOption[] {
  const id = textIn(told, 'optionId')
  const kind = optionKinds.find((known) => known === told['kind'])
  return id === undefined || !kind ? [] : [{ id, kind, label: textIn(told, 'name') ?? id }]
}

const first = (options: ApprovalOption[], kind: ApprovalOption['kind']): string | undefined =>
  options.find((option) => option.kind === kind)?.id

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 500)
