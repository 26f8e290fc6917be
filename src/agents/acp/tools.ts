import type { Chunk } from '#contract/agent-event.ts'
import { listIn, textIn } from './json-value.ts'
import type { JsonObject } from './json-value.ts'
import type { Quirks } from './quirks.ts'
import { subjectsOf } from './subjects.ts'
import { addToToolCall, beginToolCall, diffsOf, inputOf, textOf } from './tool-call.ts'
import type { ToolCall } from './tool-call.ts'

interface Part {
  call: ToolCall
  /** The input as it was told last. */
  toldInput: string | undefined
  state: 'open' | 'denied' | 'closed'
}

const ours = { dynamic: true, providerExecuted: true }

/** The tool calls of a turn, as parts of a message. Every part that is opened is closed. */
export class Tools {
  readonly #quirks: Quirks
  readonly #parts = new Map<string, Part>()

  constructor(quirks: Quirks) {
    this.#quirks = quirks
  }

  find(id: string): ToolCall | undefined {
    return this.#parts.get(id)?.call
  }

  get hasOpen(): boolean {
    return [...this.#parts.values()].some(({ state }) => state === 'open')
  }

  /** A call or an update; also an update of a call that was never told. */
  take(told: JsonObject, id: string): Chunk[] {
    const known = this.#parts.get(id)
    const status = textIn(told, 'status')
    if (known && known.state !== 'open' && !(known.state === 'denied' && status === 'completed')) return []
    const part: Part = known ?? {
      call: beginToolCall(told, id, this.#quirks),
      toldInput: undefined,
      state: 'open',
    }
    if (known) part.call = addToToolCall(part.call, told)
    this.#parts.set(id, part)
    const opened = known ? [] : [this.#chunk('tool-input-start', part, { toolName: part.call.name })]
    const isOver = status === 'completed' || status === 'failed'
    return [...opened, ...this.#tellInput(part, isOver), ...(isOver ? this.#tellEnd(part, told, status) : [])]
  }

  /** Before a person is asked whether it may run. */
  open(told: JsonObject, id: string): Chunk[] {
    const known = this.#parts.get(id)
    const chunks = known ? [] : this.take({ ...told, status: 'pending' }, id)
    if (known) known.call = asShown(known.call, told)
    const part = this.#parts.get(id)
    return part ? [...chunks, ...this.#tellInput(part, true)] : chunks
  }

  /** Somebody said no. Not every agent says that it heard. */
  deny(id: string): Chunk[] {
    const part = this.#parts.get(id)
    if (part?.state !== 'open') return []
    part.state = 'denied'
    return [{ type: 'tool-output-denied', toolCallId: id }]
  }

  /** The turn is over: what is still open will not be told any more. */
  closeAll(errorText: string): Chunk[] {
    const open = [...this.#parts.values()].filter(({ state }) => state === 'open')
    const chunks = open.flatMap((part) => [
      ...this.#tellInput(part, true),
      this.#chunk('tool-output-error', part, { errorText }),
    ])
    this.#parts.clear()
    return chunks
  }

  #tellInput(part: Part, isNeeded: boolean): Chunk[] {
    const input = inputOf(part.call)
    const told = JSON.stringify(input)
    const isNew = part.toldInput !== told && part.call.rawInput !== undefined
    if (!isNew && !(isNeeded && part.toldInput === undefined)) return []
    part.toldInput = told
    return [this.#chunk('tool-input-available', part, { toolName: part.call.name, input })]
  }

  #tellEnd(part: Part, told: JsonObject, status: 'completed' | 'failed'): Chunk[] {
    part.state = 'closed'
    const said = textOf(part.call)
    if (status === 'failed') {
      const errorText = said || failureIn(told) || 'It failed, and no reason was told'
      return [this.#chunk('tool-output-error', part, { errorText })]
    }
    return [
      this.#chunk('tool-output-available', part, { output: told['rawOutput'] ?? said }),
      ...diffsOf(part.call).map((diff) => ({
        type: 'data-diff',
        data: { toolCallId: part.call.id, ...diff },
      })),
    ]
  }

  #chunk(type: string, { call }: Part, more: object): Chunk {
    const isInput = type.startsWith('tool-input')
    return {
      type,
      toolCallId: call.id,
      ...ours,
      ...(isInput && { toolMetadata: { kind: call.kind }, ...(call.title && { title: call.title }) }),
      ...more,
    }
  }
}

/** Some show only in the question what they would run or change. */
function asShown(call: ToolCall, told: JsonObject): ToolCall {
  const content = listIn(told, 'content')
  const shown = {
    ...(content.length > 0 && { content }),
    ...(subjectsOf(call).subject === null && { rawInput: told['rawInput'] }),
  }
  return addToToolCall(call, shown)
}

const failureIn = (told: JsonObject): string | undefined => {
  const output = told['rawOutput']
  return typeof output === 'string' ? output : (textIn(output, 'error') ?? textIn(output, 'output'))
}
