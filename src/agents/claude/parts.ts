import type { Chunk } from '#contract/agent-event.ts'

interface OpenTool {
  name: string
  /** What has come of its input, while it is still coming. */
  partial: string | undefined
  metadata: { parentToolCallId: string } | undefined
}

const ours = { dynamic: true, providerExecuted: true }

/** The parts of a message that have been opened and not yet closed: texts, reasoning, tool calls, the step itself. */
export class OpenParts {
  readonly #texts = new Map<string, 'text' | 'reasoning'>()
  readonly #tools = new Map<string, OpenTool>()
  #isStepOpen = false

  startStep(): Chunk[] {
    const chunks = [...this.closeTexts(), ...this.finishStep(), { type: 'start-step' }]
    this.#isStepOpen = true
    return chunks
  }

  finishStep(): Chunk[] {
    if (!this.#isStepOpen) return []
    this.#isStepOpen = false
    return [{ type: 'finish-step' }]
  }

  startText(id: string, kind: 'text' | 'reasoning'): Chunk[] {
    this.#texts.set(id, kind)
    return [{ type: `${kind}-start`, id }]
  }

  addText(id: string, delta: string): Chunk[] {
    const kind = this.#texts.get(id)
    return kind && delta !== '' ? [{ type: `${kind}-delta`, id, delta }] : []
  }

  endText(id: string): Chunk[] {
    const kind = this.#texts.get(id)
    this.#texts.delete(id)
    return kind ? [{ type: `${kind}-end`, id }] : []
  }

  closeTexts(): Chunk[] {
    return [...this.#texts.keys()].flatMap((id) => this.endText(id))
  }

  startTool(toolCallId: string, name: string): Chunk[] {
    this.#tools.set(toolCallId, { name, partial: '', metadata: undefined })
    return [{ type: 'tool-input-start', toolCallId, toolName: name, ...ours }]
  }

  addInput(toolCallId: string, inputTextDelta: string): Chunk[] {
    const tool = this.#tools.get(toolCallId)
    if (tool?.partial === undefined || inputTextDelta === '') return []
    tool.partial += inputTextDelta
    return [{ type: 'tool-input-delta', toolCallId, inputTextDelta }]
  }

  callTool(toolCallId: string, toolName: string, input: unknown, parent: string | undefined): Chunk[] {
    const metadata = parent === undefined ? undefined : { parentToolCallId: parent }
    this.#tools.set(toolCallId, { name: toolName, partial: undefined, metadata })
    return [{ type: 'tool-input-available', toolCallId, toolName, input, ...ours, ...this.#marks(metadata) }]
  }

  /** Nothing for a call that is not open: it was closed already, or never seen. */
  endTool(toolCallId: string, result: { output: unknown } | { error: string } | { denied: string }): Chunk[] {
    const tool = this.#tools.get(toolCallId)
    if (!tool) return []
    this.#tools.delete(toolCallId)
    const marks = this.#marks(tool.metadata)
    if ('denied' in result)
      return [{ type: 'tool-output-denied', toolCallId, reason: result.denied, ...marks }]
    if ('output' in result)
      return [{ type: 'tool-output-available', toolCallId, output: result.output, ...ours, ...marks }]
    if (tool.partial === undefined)
      return [{ type: 'tool-output-error', toolCallId, errorText: result.error, ...ours, ...marks }]
    return [
      {
        type: 'tool-input-error',
        toolCallId,
        toolName: tool.name,
        input: tool.partial,
        errorText: result.error,
        ...ours,
      },
    ]
  }

  nameOf(toolCallId: string): string | undefined {
    return this.#tools.get(toolCallId)?.name
  }

  closeAll(why: string): Chunk[] {
    const tools = [...this.#tools.keys()].flatMap((id) => this.endTool(id, { error: why }))
    return [...this.closeTexts(), ...tools, ...this.finishStep()]
  }

  #marks(metadata: OpenTool['metadata']): { toolMetadata?: OpenTool['metadata'] } {
    return metadata ? { toolMetadata: metadata } : {}
  }
}
