import type { Chunk } from '#contract/agent-event.ts'
import type { UiMessage, UiPart } from '#contract/chat.ts'

type Fields = Record<string, unknown>

/** Puts an assistant's message together from the chunks of UiTurn, as a chat client would. */
export class UiMessageBuilder {
  readonly message: UiMessage & { parts: UiPart[] }
  readonly #texts = new Map<string, UiPart>()
  readonly #tools = new Map<unknown, UiPart>()
  readonly #asked = new Map<unknown, UiPart>()

  constructor(id: string, metadata?: Fields) {
    this.message = { id, role: 'assistant', ...(metadata && { metadata }), parts: [] }
  }

  add(chunk: Chunk): void {
    const { type, ...fields } = chunk as Chunk & Fields
    const [, kind, moment] = /^(text|reasoning)-(start|delta|end)$/.exec(type) ?? []
    if (kind && moment) return this.#addText(kind, moment, fields)
    if (type.startsWith('tool-')) return this.#addTool(type, fields)
    if (type.startsWith('data-')) return this.#addData(chunk)
    if (type === 'start-step') this.message.parts.push({ type: 'step-start' })
    else if (type === 'file' || type === 'reasoning-file' || type.startsWith('source-'))
      this.message.parts.push(chunk)
  }

  /** Whether it is about something that this message tells already. */
  knows({ toolCallId, approvalId }: Fields): boolean {
    return this.#tools.has(toolCallId) || this.#asked.has(approvalId)
  }

  /** What the step that is under way has said so far was said for nothing. Answers whether it began in this message. */
  forgetStep(): boolean {
    const { parts } = this.message
    const from = parts.findLastIndex(({ type }) => type === 'step-start')
    const forgotten = new Set(parts.slice(Math.max(0, from)).filter(({ type }) => !type.startsWith('data-')))
    parts.splice(0, parts.length, ...parts.filter((part) => !forgotten.has(part)))
    for (const known of [this.#texts, this.#tools, this.#asked] as Map<unknown, UiPart>[])
      for (const [key, part] of known) if (forgotten.has(part)) known.delete(key)
    return from !== -1
  }

  #addText(kind: string, moment: string, fields: Fields): void {
    const key = `${kind} ${String(fields['id'])}`
    const part = moment === 'start' ? this.#newText(kind, key, fields) : this.#texts.get(key)
    if (!part) return
    if (moment === 'delta') part['text'] = `${String(part['text'])}${String(fields['delta'])}`
    if (moment === 'end') part['state'] = 'done'
    Object.assign(part, pick(fields, 'providerMetadata'))
  }

  #newText(kind: string, key: string, fields: Fields): UiPart {
    const part = { type: kind, ...(kind === 'reasoning' && pick(fields, 'id')), text: '', state: 'streaming' }
    this.#texts.set(key, part)
    this.message.parts.push(part)
    return part
  }

  #addTool(type: string, fields: Fields): void {
    const { toolCallId } = fields
    if (type === 'tool-approval-response') return this.#addAnswer(fields)
    const part = this.#tools.get(toolCallId) ?? this.#newTool(toolCallId)
    switch (type) {
      case 'tool-input-start':
      case 'tool-input-available':
        Object.assign(part, pick(fields, 'toolName', 'title', 'input', 'toolMetadata', 'providerExecuted'))
        if (fields['providerMetadata'] !== undefined)
          part['callProviderMetadata'] = fields['providerMetadata']
        part['state'] = type === 'tool-input-start' ? 'input-streaming' : 'input-available'
        return
      case 'tool-input-error':
      case 'tool-output-error':
        if (type === 'tool-input-error') Object.assign(part, pick(fields, 'toolName', 'input'))
        Object.assign(part, pick(fields, 'errorText', 'providerExecuted'))
        part['state'] = 'output-error'
        return
      case 'tool-output-available':
        Object.assign(part, pick(fields, 'output', 'preliminary', 'providerExecuted'))
        part['state'] = 'output-available'
        return
      case 'tool-output-denied':
        part['state'] = 'output-denied'
        return
      case 'tool-approval-request':
        part['state'] = 'approval-requested'
        part['approval'] = { id: fields['approvalId'], descriptor: fields['approvalDescriptor'] }
        this.#asked.set(fields['approvalId'], part)
    }
  }

  #addAnswer({ approvalId, approved, reason }: Fields): void {
    const part = this.#asked.get(approvalId)
    if (!part) return
    part['state'] = 'approval-responded'
    part['approval'] = { ...(part['approval'] as Fields), approved, ...(reason !== undefined && { reason }) }
  }

  #newTool(toolCallId: unknown): UiPart {
    const part: UiPart = { type: 'dynamic-tool', toolCallId }
    this.#tools.set(toolCallId, part)
    this.message.parts.push(part)
    return part
  }

  #addData(chunk: Chunk): void {
    if (chunk['transient'] === true) return
    const { id } = chunk
    const known =
      id !== undefined && this.message.parts.find((part) => part.type === chunk.type && part['id'] === id)
    if (known) known['data'] = chunk['data']
    else this.message.parts.push({ ...chunk })
  }
}

function pick(fields: Fields, ...names: string[]): Fields {
  return Object.fromEntries(
    names.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]),
  )
}
