import type { Chunk, SessionFacts } from '#contract/agent-event.ts'
import type { AgentEvent } from '../port.ts'
import { factsOfInit, newsIn } from './facts.ts'
import { isRecord } from './frame.ts'
import type { Block, Frame, MessageFrame, RetryFrame, StreamFrame } from './frame.ts'
import { OpenParts } from './parts.ts'
import { planIn } from './plan.ts'
import { StreamedMessage } from './streamed-message.ts'
import { diffsOf, isDenied, outputOf } from './tool-result.ts'

/** Translates what Claude Code says into what everybody here reads. Touches nothing; remembers only what is open. */
export class Decoder {
  readonly #parts = new OpenParts()
  readonly #inputs = new Map<string, unknown>()
  #facts: SessionFacts = {}
  #streamed = new StreamedMessage('')

  /** Controls and results are not for the reader: whoever drives the agent deals with them. */
  decode(frame: Frame): AgentEvent[] {
    switch (frame.type) {
      case 'system':
        return this.#system(frame)
      case 'stream_event':
        // A sub-agent's words come again, whole, and are told then.
        return frame.parent_tool_use_id ? [] : chunks(this.#stream(frame as StreamFrame))
      case 'assistant':
        return chunks(this.#assistant(frame as MessageFrame))
      case 'user':
        return chunks(this.#user(frame as MessageFrame))
      default:
        return []
    }
  }

  /** Facts learnt in another way than by a frame. */
  learn(facts: SessionFacts): AgentEvent[] {
    const news = newsIn(this.#facts, facts)
    this.#facts = { ...this.#facts, ...news }
    return news ? [{ type: 'session', facts: news }] : []
  }

  get facts(): SessionFacts {
    return this.#facts
  }

  /** With what a tool was called, while it is open. */
  inputOf(toolCallId: string): unknown {
    return this.#inputs.get(toolCallId)
  }

  closeAll(why: string): AgentEvent[] {
    this.#inputs.clear()
    return chunks(this.#parts.closeAll(why))
  }

  #system(frame: Frame): AgentEvent[] {
    if (frame.subtype === 'init') return this.learn(factsOfInit(frame))
    if (frame.subtype === 'status' && typeof frame['permissionMode'] === 'string')
      return this.learn({ mode: frame['permissionMode'] })
    if (frame.subtype === 'permission_denied')
      return [notice(`${String(frame['tool_name'])} was not allowed: ${String(frame['message'])}`)]
    if (frame.subtype === 'compact_boundary') return [notice('The conversation was summarised to make room')]
    if (frame.subtype !== 'api_retry') return []
    return [...chunks(this.#parts.closeTexts()), retryNotice(frame as RetryFrame)]
  }

  #stream({ event }: StreamFrame): Chunk[] {
    const at = event.index ?? 0
    switch (event.type) {
      case 'message_start':
        this.#streamed = new StreamedMessage(event.message?.id ?? '')
        return this.#parts.startStep()
      case 'content_block_start':
        return this.#startBlock(at, event.content_block)
      case 'content_block_delta': {
        const block = this.#streamed.at(at)
        if (!block) return []
        const { text, thinking, partial_json } = event.delta ?? {}
        if (block.kind === 'tool') return this.#parts.addInput(block.id, partial_json ?? '')
        const delta = text ?? thinking ?? ''
        block.text += delta
        return this.#parts.addText(block.id, delta)
      }
      case 'content_block_stop': {
        const block = this.#streamed.at(at)
        return block && block.kind !== 'tool' ? this.#parts.endText(block.id) : []
      }
      case 'message_stop':
        return [...this.#parts.closeTexts(), ...this.#parts.finishStep()]
      default:
        return []
    }
  }

  #startBlock(at: number, block: Block | undefined): Chunk[] {
    if (block?.type === 'text' || block?.type === 'thinking') {
      const kind = block.type === 'text' ? 'text' : 'reasoning'
      return this.#parts.startText(this.#streamed.open(at, kind), kind)
    }
    if (!isToolUse(block)) return []
    this.#streamed.open(at, 'tool', block.id)
    return this.#parts.startTool(block.id, block.name)
  }

  /** One of these comes for every block, also for those that were streamed before. */
  #assistant(frame: MessageFrame): Chunk[] {
    // The same is the result, and there it ends the turn.
    if (frame.is_api_error_message) return []
    const parent = frame.parent_tool_use_id ?? undefined
    return blocksOf(frame).flatMap((block) => {
      if (isToolUse(block)) return this.#callTool(block, parent)
      if (block.type.endsWith('_tool_result')) return this.#endTool(frame, block)
      const kind = block.type === 'text' ? 'text' : block.type === 'thinking' ? 'reasoning' : undefined
      const text = block.text ?? block.thinking ?? ''
      if (!kind || text === '') return []
      if (parent !== undefined)
        return [{ type: 'data-subagent', data: { parentToolCallId: parent, kind, text } }]
      return this.#wholeText(frame, kind, text)
    })
  }

  #wholeText(frame: MessageFrame, kind: 'text' | 'reasoning', text: string): Chunk[] {
    const streamed = this.#streamed.take(frame.message.id, kind)
    if (streamed) {
      const isMore = text.startsWith(streamed.text)
      return isMore ? this.#parts.addText(streamed.id, text.slice(streamed.text.length)) : []
    }
    const id = `${frame.message.id ?? ''}:${frame.uuid ?? kind}`
    return [...this.#parts.startText(id, kind), ...this.#parts.addText(id, text), ...this.#parts.endText(id)]
  }

  #callTool(block: ToolUse, parent: string | undefined): Chunk[] {
    this.#inputs.set(block.id, block.input)
    return [
      ...this.#parts.callTool(block.id, block.name, block.input, parent),
      ...planIn(block.name, block.input),
    ]
  }

  #user(frame: MessageFrame): Chunk[] {
    if (frame.isReplay) return []
    return blocksOf(frame).flatMap((block) =>
      block.type === 'tool_result' ? this.#endTool(frame, block) : [],
    )
  }

  #endTool(frame: MessageFrame, block: Block): Chunk[] {
    const id = block.tool_use_id ?? ''
    this.#inputs.delete(id)
    const output = outputOf(block.content)
    if (isDenied(frame, id)) return this.#parts.endTool(id, { denied: output })
    if (block.is_error) return this.#parts.endTool(id, { error: output })
    return [...this.#parts.endTool(id, { output }), ...diffsOf(frame, block)]
  }
}

interface ToolUse extends Block {
  id: string
  name: string
}

const isToolUse = (block: Block | undefined): block is ToolUse =>
  (block?.type === 'tool_use' || block?.type === 'server_tool_use') &&
  typeof block.id === 'string' &&
  typeof block.name === 'string'

function blocksOf({ message }: MessageFrame): Block[] {
  return Array.isArray(message.content) ? message.content.filter((block) => isRecord(block)) : []
}

function retryNotice({ attempt, max_retries: max, error_status: status, error }: RetryFrame): AgentEvent {
  const what = status ? `answered ${status}` : 'could not be reached'
  return notice(`The model's API ${what} (${error}): trying again, ${attempt} of ${max}`, { attempt, max })
}

const chunks = (all: Chunk[]): AgentEvent[] => all.map((chunk) => ({ type: 'chunk', chunk }))

export const notice = (text: string, more: Record<string, unknown> = {}): AgentEvent => ({
  type: 'chunk',
  chunk: { type: 'data-notice', data: { text, ...more } },
})
