import type { Chunk } from '#contract/agent-event.ts'
import type { AgentEvent } from './port.ts'

const mostParts = 10_000

/** The texts and tools of which something was not kept. What nobody has seen begin must not go on, nor what was begun stay open. */
export class CutParts {
  readonly #ids = new Set<string>()

  cut(event: AgentEvent): void {
    const id = partOf(event)
    if (id !== undefined && this.#ids.size < mostParts) this.#ids.add(id)
  }

  /** What can be told of it in a turn: a text that goes on begins anew, a tool is lost. */
  mend(event: AgentEvent): AgentEvent[] {
    if (event.type !== 'chunk' || !this.has(event)) return [event]
    const id = partOf(event)!
    const [, kind, what] = /^(text|reasoning)-(.+)$/.exec(event.chunk.type) ?? []
    if (!kind) return []
    this.#ids.delete(id)
    if (what === 'end') return []
    return what === 'start' ? [event] : [{ type: 'chunk', chunk: { type: `${kind}-start`, id } }, event]
  }

  has(event: AgentEvent): boolean {
    const id = partOf(event)
    return id !== undefined && this.#ids.has(id)
  }

  /** What closes those that were begun in these, and cut later. */
  closing(events: readonly AgentEvent[]): AgentEvent[] {
    const last = new Map<string, Chunk>()
    for (const event of events)
      if (event.type === 'chunk' && this.has(event)) last.set(partOf(event)!, event.chunk)
    return [...last].flatMap(([id, chunk]) => (isClosing(chunk) ? [] : [closingOf(id, chunk)]))
  }

  forget(): void {
    this.#ids.clear()
  }
}

/** The text or tool that a chunk belongs to. What is ours (`data-*`) stands alone. */
function partOf(event: AgentEvent): string | undefined {
  if (event.type !== 'chunk' || !/^(?:text|reasoning|tool)-/.test(event.chunk.type)) return undefined
  return String(event.chunk['toolCallId'] ?? event.chunk['id'])
}

const isClosing = ({ type, ...fields }: Chunk): boolean =>
  /^(?:text|reasoning)-end$|^tool-(?:output|input-error)/.test(type) && fields['preliminary'] !== true

function closingOf(id: string, { type }: Chunk): AgentEvent {
  const [kind] = type.split('-')
  if (kind !== 'tool') return { type: 'chunk', chunk: { type: `${kind}-end`, id } }
  const errorText = 'What became of it was not kept'
  return {
    type: 'chunk',
    chunk: { type: 'tool-output-error', toolCallId: id, errorText, dynamic: true, providerExecuted: true },
  }
}
