import type { Chunk } from '#contract/agent-event.ts'
import type { Fields } from './fields.ts'
import { oneLine, textOf } from './fields.ts'
import { changesOf, toolEndOf, toolUseOf } from './items.ts'
import { LiveOutput } from './live-output.ts'

interface OpenTool {
  item: Fields
  live: LiveOutput
}

const ours = { dynamic: true, providerExecuted: true }
/** Of so many commands that were left running, it is known what became of them. */
const mostLeft = 256

/** The tools at work, from their first word to their last. */
export class OpenTools {
  readonly #open = new Map<string, OpenTool>()
  /** Told as over at the end of a turn, though Codex may still have something to say about them. */
  readonly #left = new Map<string, { tool: string; isTold: boolean }>()

  begin(item: Fields): Chunk[] {
    const use = toolUseOf(item)
    const toolCallId = textOf(item['id'])
    if (!use || !toolCallId || this.#open.has(toolCallId)) return []
    this.#open.set(toolCallId, { item, live: new LiveOutput() })
    return [{ type: 'tool-input-available', toolCallId, toolName: use.tool, input: use.input, ...ours }]
  }

  output({ itemId, delta }: Fields, at: number): Chunk[] {
    const toolCallId = textOf(itemId) ?? ''
    const output = this.#open.get(toolCallId)?.live.add(textOf(delta) ?? '', at)
    if (output === undefined) return []
    return [{ type: 'tool-output-available', toolCallId, output: { output }, preliminary: true, ...ours }]
  }

  /** A patch may grow while it is written; what was shown of it is replaced. */
  patch({ itemId, changes }: Fields): Chunk[] {
    const toolCallId = textOf(itemId) ?? ''
    const open = this.#open.get(toolCallId)
    if (!open) return []
    open.item = { ...open.item, changes }
    const { tool, input } = toolUseOf(open.item)!
    return [{ type: 'tool-input-available', toolCallId, toolName: tool, input, ...ours }]
  }

  complete(item: Fields): Chunk[] {
    const id = textOf(item['id']) ?? ''
    const left = this.#left.get(id)
    if (left) return this.#tellLate(id, left, item)
    const opening = this.begin(item)
    const open = this.#open.get(id)
    if (!open) return []
    const end = toolEndOf(item, open.live.text)
    if (end.how === 'open') return opening
    this.#open.delete(id)
    if (end.how === 'denied') return [...opening, { type: 'tool-output-denied', toolCallId: id }]
    if (end.how === 'error') return [...opening, this.#error(id, end.text)]
    return [
      ...opening,
      { type: 'tool-output-available', toolCallId: id, output: end.output, ...ours },
      ...(item['type'] === 'fileChange' ? changesOf(item) : []).map((change) => ({
        type: 'data-diff',
        data: { toolCallId: id, ...change },
      })),
    ]
  }

  closeAll(how: 'completed' | 'failed' | 'interrupted'): Chunk[] {
    const closing = [...this.#open].map(([id, { item, live }]) => {
      this.#left.set(id, { tool: toolUseOf(item)?.tool ?? '', isTold: false })
      const isCommand = item['type'] === 'commandExecution'
      if (how === 'completed' && isCommand)
        return {
          type: 'tool-output-available',
          toolCallId: id,
          output: { output: live.text, exitCode: null, isStillRunning: true },
          ...ours,
        }
      return this.#error(id, how === 'interrupted' ? 'It was interrupted.' : 'No result was told.')
    })
    this.#open.clear()
    for (const id of [...this.#left.keys()].slice(0, -mostLeft)) this.#left.delete(id)
    return closing
  }

  /** The item that is at work under this id. */
  find(id: string): Fields | undefined {
    return this.#open.get(id)?.item
  }

  /** The call of a tool of this server that is at work; the newest, should there be several alike. */
  findCall(server: string, args: unknown): Fields | undefined {
    const alike = [...this.#open.values()].filter(
      ({ item }) => item['type'] === 'mcpToolCall' && item['server'] === server,
    )
    const same = alike.filter(({ item }) => JSON.stringify(item['arguments']) === JSON.stringify(args))
    return (same.at(-1) ?? (alike.length === 1 ? alike[0] : undefined))?.item
  }

  isOpen(id: string): boolean {
    return this.#open.has(id)
  }

  /** A part of an earlier message cannot be changed any more. */
  #tellLate(id: string, left: { tool: string; isTold: boolean }, item: Fields): Chunk[] {
    if (left.isTold || toolEndOf(item, '').how === 'open') return []
    left.isTold = true
    const command = textOf(item['command'])
    const text = `What was left running is over: ${oneLine(command ?? left.tool, 200)} (${describe(item)})`
    return [{ type: 'data-notice', data: { text, toolCallId: id } }]
  }

  #error(toolCallId: string, errorText: string): Chunk {
    return { type: 'tool-output-error', toolCallId, errorText, ...ours }
  }
}

const describe = ({ exitCode, status }: Fields): string =>
  typeof exitCode === 'number' && exitCode >= 0 ? `exit code ${exitCode}` : (textOf(status) ?? 'ended')
