import type {
  AssistantModelMessage,
  ModelMessage,
  ToolModelMessage,
  ToolResultPart,
  UserModelMessage,
} from 'ai'
import { Usage } from '#contract/agent-event.ts'
import type { Chunk, PromptFile } from '#contract/agent-event.ts'
import type { ChatHistory, WantedCall } from './port.ts'

type AssistantPart = Exclude<AssistantModelMessage['content'], string>[number]
type ToolContent = ToolModelMessage['content']
type Metadata = NonNullable<AssistantModelMessage['providerOptions']>

/** What was said in a session, as a model is shown it; put together from what its stream tells, event by event. */
export class ModelHistory implements ChatHistory {
  readonly #messages: ModelMessage[] = []
  #summary: string | null = null
  #used: Usage | null = null
  /** The step that is under way; one that is never finished never was. */
  #step: AssistantPart[] = []
  #texts = new Map<string, { text: string }>()
  /** Calls of steps that are finished, and have no outcome. */
  readonly #open = new Map<string, WantedCall>()
  readonly #begun = new Set<string>()
  readonly #callIds = new Set<string>()
  readonly #refusals = new Map<string, string>()
  readonly #words = new Map<string, UserModelMessage>()
  readonly #heard: UserModelMessage[] = []

  get messages(): readonly ModelMessage[] {
    return this.#messages
  }

  get summary(): string | null {
    return this.#summary
  }

  get used(): Usage | null {
    return this.#used
  }

  /** Calls that the model waits for. */
  get open(): readonly WantedCall[] {
    return [...this.#open.values()]
  }

  /** Whether somebody has begun with it: it may have been done. */
  hasBegun(toolCallId: string): boolean {
    return this.#begun.has(toolCallId)
  }

  get callIds(): ReadonlySet<string> {
    return this.#callIds
  }

  get unheard(): readonly UserModelMessage[] {
    return this.#heard
  }

  /** What a turn begins with. */
  takeMessage(text: string, files: readonly PromptFile[] = []): void {
    this.#giveUp()
    this.#used = null
    this.#messages.push(...this.heard(), userMessage(text, files))
  }

  /** What was said in the middle of a turn. It counts once it was delivered, and is heard before the next step. */
  takeWord(commandId: string, text: string, files: readonly PromptFile[] = []): void {
    this.#words.set(commandId, userMessage(text, files))
  }

  takeDelivery(commandId: string, isDelivered: boolean): void {
    const word = this.#words.get(commandId)
    this.#words.delete(commandId)
    if (word && isDelivered) this.#heard.push(word)
  }

  /** What was delivered, and no step has heard. */
  heard(): UserModelMessage[] {
    return this.#heard.splice(0)
  }

  take(chunk: Chunk): void {
    const { type } = chunk
    if (type === 'start-step') {
      if (this.#open.size === 0) this.#messages.push(...this.heard())
      this.#begin()
    } else if (type === 'finish-step') this.#finish()
    else if (type === 'text-start' || type === 'reasoning-start') this.#startText(chunk)
    else if (type === 'text-delta' || type === 'reasoning-delta') this.#addText(chunk)
    else if (type === 'text-end' || type === 'reasoning-end') this.#noteMetadata(chunk)
    else if (type === 'tool-input-available' || type === 'tool-input-error') this.#wantCall(chunk)
    else if (type === 'data-summary') this.#sumUp(fieldsOf(chunk['data']))
    else if (type === 'data-usage') this.#used = Usage.safeParse(chunk['data']).data ?? null
    else if (type === 'data-call') this.#begun.add(String(fieldsOf(chunk['data'])['toolCallId']))
    else if (type === 'tool-output-available')
      this.#settle(chunk, { type: 'text', value: textOf(chunk['output']) })
    else if (type === 'tool-output-error')
      this.#settle(chunk, { type: 'error-text', value: String(chunk['errorText']) })
    else if (type === 'tool-output-denied') this.#settle(chunk, deniedFor(chunk['reason']))
  }

  /** The newest turns stay as they are; what comes before them is known by the summary alone. */
  #sumUp({ text, keptTurns }: Record<string, unknown>): void {
    if (typeof text !== 'string' || typeof keptTurns !== 'number') return
    const turns = this.#messages.flatMap(({ role }, at) => (role === 'user' ? [at] : []))
    this.#messages.splice(0, keptTurns > 0 ? (turns.at(-keptTurns) ?? 0) : Number.POSITIVE_INFINITY)
    this.#summary = text
  }

  #begin(): void {
    this.#step = []
    this.#texts = new Map()
  }

  #finish(): void {
    // Providers take no text back that has no words.
    this.#step = this.#step.filter((part) => part.type !== 'text' || part.text.trim() !== '')
    if (this.#step.length > 0) this.#messages.push({ role: 'assistant', content: this.#step })
    const calls = this.#step.filter((part) => part.type === 'tool-call')
    for (const [at, { toolCallId, toolName, input }] of calls.entries()) {
      const fault = this.#refusals.get(toolCallId)
      this.#open.set(toolCallId, {
        toolCallId,
        toolName,
        input,
        place: { position: at + 1, total: calls.length },
        ...(fault !== undefined && { fault }),
      })
    }
    this.#begin()
  }

  #startText(chunk: Chunk): void {
    const part: AssistantPart & { text: string } = {
      type: chunk.type === 'text-start' ? 'text' : 'reasoning',
      text: '',
      ...optionsOf(chunk),
    }
    this.#texts.set(keyOf(chunk), part)
    this.#step.push(part)
  }

  #addText(chunk: Chunk): void {
    const part = this.#texts.get(keyOf(chunk))
    if (part && typeof chunk['delta'] === 'string') part.text += chunk['delta']
    this.#noteMetadata(chunk)
  }

  /** Providers sign what they thought, some with its last words, some at its end. */
  #noteMetadata(chunk: Chunk): void {
    const part = this.#texts.get(keyOf(chunk))
    if (part) Object.assign(part, optionsOf(chunk))
  }

  #wantCall(chunk: Chunk): void {
    const toolCallId = String(chunk['toolCallId'])
    const toolName = String(chunk['toolName'])
    this.#callIds.add(toolCallId)
    if (chunk.type === 'tool-input-error') this.#refusals.set(toolCallId, String(chunk['errorText']))
    this.#step.push({
      type: 'tool-call',
      toolCallId,
      toolName,
      input: isObject(chunk['input']) ? chunk['input'] : {},
      ...optionsOf(chunk),
    })
  }

  #settle(chunk: Chunk, output: ToolResultPart['output']): void {
    const call = this.#open.get(String(chunk['toolCallId']))
    if (!call) return
    this.#open.delete(call.toolCallId)
    const { toolCallId, toolName } = call
    const part: ToolResultPart = { type: 'tool-result', toolCallId, toolName, output }
    const last = this.#messages.at(-1)
    // Some providers know by the order alone which call is answered.
    if (last?.role === 'tool') last.content = inOrder(this.#messages.at(-2), [...last.content, part])
    else this.#messages.push({ role: 'tool', content: [part] })
  }

  /** A person goes on although calls were never answered: the turn was ended in between. Models want an answer to each. */
  #giveUp(): void {
    this.#begin()
    for (const toolCallId of this.#open.keys())
      this.#settle(
        { type: '', toolCallId },
        { type: 'error-text', value: this.hasBegun(toolCallId) ? neverAnswered : neverBegun },
      )
  }
}

/** The results as their calls were wanted, whichever was there first. */
export function inOrder(wanted: ModelMessage | undefined, results: ToolContent): ToolContent {
  const calls = wanted?.role === 'assistant' && typeof wanted.content !== 'string' ? wanted.content : []
  const ids = calls.map((part) => (part.type === 'tool-call' ? part.toolCallId : undefined))
  const placeOf = (part: ToolContent[number]) =>
    part.type === 'tool-result' ? ids.indexOf(part.toolCallId) : ids.length
  return results.toSorted((one, other) => placeOf(one) - placeOf(other))
}

const deniedFor = (reason: unknown): ToolResultPart['output'] => ({
  type: 'execution-denied',
  ...(typeof reason === 'string' && { reason }),
})

const neverBegun = 'The turn was ended before this was begun. It was not done'
const neverAnswered = 'The turn was ended before this was answered. Whether it was done is not known'

export function userMessage(text: string, files: readonly PromptFile[]): UserModelMessage {
  if (files.length === 0) return { role: 'user', content: text }
  const content = files.map(({ url, mediaType, name }) =>
    url.startsWith('data:')
      ? {
          type: 'file' as const,
          data: url.slice(url.indexOf(',') + 1),
          mediaType,
          ...(name !== undefined && { filename: name }),
        }
      : { type: 'text' as const, text: `[Attached: ${url}, a file in the workspace]` },
  )
  return { role: 'user', content: [...content, { type: 'text', text }] }
}

const keyOf = ({ type, id }: Chunk): string => `${type.split('-', 1)[0]} ${String(id)}`

const optionsOf = ({ providerMetadata }: Chunk): { providerOptions?: Metadata } =>
  typeof providerMetadata === 'object' && providerMetadata !== null
    ? { providerOptions: providerMetadata as Metadata }
    : {}

const textOf = (output: unknown): string =>
  typeof output === 'string' ? output : (JSON.stringify(output) ?? '')

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
