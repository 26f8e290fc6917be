import type { Chunk } from '#contract/agent-event.ts'
import type { AgentEvent } from '../port.ts'
import { facts } from './choices.ts'
import { isObject, listIn, objectIn, textIn } from './json-value.ts'
import type { JsonObject } from './json-value.ts'
import type { Quirks } from './quirks.ts'
import { contentText } from './tool-call.ts'
import { Tools } from './tools.ts'

/** A delta is no longer than this; what comes as one piece of megabytes is told in many. */
const longestDelta = 32 * 1024

type PartKind = 'text' | 'reasoning'

/** What an agent tells in `session/update`, in our words. Holds which parts of the message are open. */
export class Decoder {
  readonly tools: Tools
  readonly #quirks: Quirks
  #part: { kind: PartKind; id: string; messageId: string | undefined } | undefined
  #partCount = 0
  #steps = 1
  #isAfterTool = false
  #lastText = ''
  #hasSystemError = false

  constructor(quirks: Quirks) {
    this.#quirks = quirks
    this.tools = new Tools(quirks)
  }

  /** Calls of the model in this turn, as far as can be seen: whatever follows a tool's result is another one. */
  get steps(): number {
    return this.#steps
  }

  /** What went wrong in an agent that calls it a normal end (codex-acp). */
  get systemError(): string | undefined {
    return this.#hasSystemError
      ? this.#lastText.trim() || 'The agent reports an error of its system'
      : undefined
  }

  /** Undefined when it cannot be understood; nothing when it is of a kind that we do not know. */
  take(update: JsonObject): AgentEvent[] | undefined {
    const kind = textIn(update, 'sessionUpdate')
    if (kind === undefined) return undefined
    const decode = decoders[kind]
    return decode ? decode(this, update) : []
  }

  message(kind: PartKind, update: JsonObject): AgentEvent[] | undefined {
    const { content } = update
    if (!isObject(content)) return undefined
    const file = fileOf(content)
    if (file) return chunks([...this.#endPart(), file])
    const text = contentText(content)
    const mode = this.#quirks.saysModeAsText && /^\[MODE_UPDATE\] (\S+)$/.exec(text)?.[1]
    if (mode) return facts({ mode })
    if (text === '') return []
    this.#countStep()
    this.#lastText = kind === 'text' ? (this.#lastText + text).slice(-1000) : ''
    const opened = this.#beginPart(kind, textIn(update, 'messageId'))
    const id = this.#part!.id
    return chunks([...opened, ...split(text).map((delta) => ({ type: `${kind}-delta`, id, delta }))])
  }

  tool(update: JsonObject): AgentEvent[] | undefined {
    const id = textIn(update, 'toolCallId')
    if (id === undefined) return undefined
    if (!this.tools.find(id)) this.#countStep()
    const told = this.tools.take(update, id)
    this.#isAfterTool ||= told.some(({ type }) => type.startsWith('tool-output'))
    return told.length === 0 ? [] : chunks([...this.#endPart(), ...told])
  }

  /** Opens the part of a tool that a person is asked about. */
  askedAbout(toolCall: JsonObject, id: string): AgentEvent[] {
    if (!this.tools.find(id)) this.#countStep()
    return chunks([...this.#endPart(), ...this.tools.open(toolCall, id)])
  }

  denied(id: string): AgentEvent[] {
    this.#isAfterTool = true
    return chunks(this.tools.deny(id))
  }

  info(update: JsonObject): AgentEvent[] {
    const codex = objectIn(update['_meta'], 'codex')
    if (textIn(codex['threadStatus'], 'type') === 'systemError') {
      this.#hasSystemError = true
      this.#lastText = ''
    }
    const retry = textIn(codex['error'], 'message')
    const title = textIn(update, 'title')
    return [...(title ? facts({ title }) : []), ...(retry ? notice(retry) : [])]
  }

  /** Closes what is open: the prompt is over. */
  close(why: string): AgentEvent[] {
    const closed = chunks([...this.#endPart(), ...this.tools.closeAll(why)])
    this.#hasSystemError = false
    this.#lastText = ''
    return closed
  }

  beginTurn(): void {
    this.#steps = 1
    this.#isAfterTool = false
  }

  #countStep(): void {
    if (this.#isAfterTool && !this.tools.hasOpen) this.#steps += 1
    if (!this.tools.hasOpen) this.#isAfterTool = false
  }

  #beginPart(kind: PartKind, messageId: string | undefined): Chunk[] {
    if (this.#part?.kind === kind && this.#part.messageId === messageId) return []
    const ended = this.#endPart()
    this.#partCount += 1
    this.#part = { kind, id: `${kind}-${this.#partCount}`, messageId }
    return [...ended, { type: `${kind}-start`, id: this.#part.id }]
  }

  #endPart(): Chunk[] {
    if (!this.#part) return []
    const { kind, id } = this.#part
    this.#part = undefined
    return [{ type: `${kind}-end`, id }]
  }
}

const decoders: Record<string, (decoder: Decoder, update: JsonObject) => AgentEvent[] | undefined> = {
  agent_message_chunk: (decoder, update) => decoder.message('text', update),
  agent_thought_chunk: (decoder, update) => decoder.message('reasoning', update),
  tool_call: (decoder, update) => decoder.tool(update),
  tool_call_update: (decoder, update) => decoder.tool(update),
  session_info_update: (decoder, update) => decoder.info(update),
  plan: (_, update) =>
    Array.isArray(update['entries'])
      ? chunks([{ type: 'data-plan', data: { entries: listIn(update, 'entries').flatMap(planEntry) } }])
      : undefined,
  available_commands_update: (_, update) =>
    Array.isArray(update['availableCommands'])
      ? chunks([
          { type: 'data-commands', data: { commands: listIn(update, 'availableCommands').flatMap(command) } },
        ])
      : undefined,
  notice: (_, update) => notice(textIn(update, 'title') ?? ''),
  compaction_update: (_, { status }) => (status === 'completed' ? notice('The context was compacted') : []),
}

/** What is only history when a session is loaded; everything else holds from then on. */
export const isHistory = (update: JsonObject): boolean =>
  /^(user_message|agent_message|agent_thought|tool_call|plan|compaction|notice)/.test(
    textIn(update, 'sessionUpdate') ?? '',
  )

export const notice = (text: string): AgentEvent[] =>
  text === '' ? [] : chunks([{ type: 'data-notice', data: { text } }])

export const chunks = (list: Chunk[]): AgentEvent[] => list.map((chunk) => ({ type: 'chunk', chunk }))

function fileOf(content: JsonObject): Chunk | undefined {
  const [data, mediaType] = [textIn(content, 'data'), textIn(content, 'mimeType')]
  if (data === undefined || mediaType === undefined) return undefined
  return { type: 'file', mediaType, url: `data:${mediaType};base64,${data}` }
}

const planEntry = (entry: JsonObject) => {
  const content = textIn(entry, 'content')
  const [status, priority] = [textIn(entry, 'status') ?? 'pending', textIn(entry, 'priority') ?? 'medium']
  return content === undefined ? [] : [{ content, status, priority }]
}

const command = (told: JsonObject) => {
  const name = textIn(told, 'name')
  return name === undefined ? [] : [{ name, description: textIn(told, 'description') ?? '' }]
}

/** No character is cut in two. */
function split(text: string): string[] {
  if (text.length <= longestDelta) return [text]
  const pieces: string[] = []
  for (let from = 0; from < text.length;) {
    let to = Math.min(from + longestDelta, text.length)
    const last = text.charCodeAt(to - 1)
    if (to < text.length && last >= 0xd800 && last <= 0xdbff) to -= 1
    pieces.push(text.slice(from, to))
    from = to
  }
  return pieces
}
