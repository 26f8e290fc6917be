import type { Chunk } from '#contract/agent-event.ts'
import type { AgentEvent } from '../port.ts'
import { describeRetry } from './failure.ts'
import type { Fields } from './fields.ts'
import { fieldsOf, listOf, oneLine, textOf, textsOf } from './fields.ts'
import { OpenTools } from './tools.ts'
import { TurnUsage } from './usage.ts'

/** Parts of text that are open, and how much of each was told. */
interface OpenText {
  kind: 'text' | 'reasoning'
  said: string
}

/** One turn's notifications as agent events. Touches nothing; what was opened is closed by `close` at the latest. */
export class Decoder {
  readonly tools = new OpenTools()
  readonly #texts = new Map<string, OpenText>()
  readonly #warned = new Set<string>()
  #usage = new TurnUsage()

  /** Of our own thread only. `at` is when Codex said it. */
  take(method: string, params: Fields, at: number): AgentEvent[] {
    return this.#told[method]?.(params, at) ?? []
  }

  /** The turn is over. After an interrupt, or when it was steered, Codex leaves parts open. */
  close(how: 'completed' | 'failed' | 'interrupted'): AgentEvent[] {
    const texts = [...this.#texts.keys()].flatMap((id) => this.#endText(id))
    this.#usage = new TurnUsage()
    return [...texts, ...chunks(this.tools.closeAll(how))]
  }

  readonly #told: Record<string, (params: Fields, at: number) => AgentEvent[]> = {
    'item/started': ({ item }) => this.#begin(fieldsOf(item)),
    'item/completed': ({ item }) => this.#complete(fieldsOf(item)),
    'item/agentMessage/delta': (params) => this.#say('text', params),
    'item/reasoning/summaryTextDelta': (params) => this.#say('reasoning', params),
    'item/reasoning/textDelta': (params) => this.#say('reasoning', params),
    'item/reasoning/summaryPartAdded': (params) =>
      Number(params['summaryIndex']) > 0 ? this.#say('reasoning', { ...params, delta: '\n\n' }) : [],
    'item/commandExecution/outputDelta': (params, at) => chunks(this.tools.output(params, at)),
    'item/fileChange/outputDelta': (params, at) => chunks(this.tools.output(params, at)),
    'item/fileChange/patchUpdated': (params) => chunks(this.tools.patch(params)),
    'item/mcpToolCall/progress': (params, at) =>
      chunks(
        this.tools.output({ itemId: params['itemId'], delta: `${textOf(params['message']) ?? ''}\n` }, at),
      ),
    'turn/diff/updated': (params) =>
      chunks([
        {
          type: 'data-diff',
          id: `turn-${textOf(params['turnId']) ?? ''}`,
          data: { scope: 'turn', diff: textOf(params['diff']) ?? '' },
        },
      ]),
    'turn/plan/updated': (params) => chunks([planChunk(params)]),
    'thread/tokenUsage/updated': ({ tokenUsage }) => [
      { type: 'usage', usage: this.#usage.take(fieldsOf(tokenUsage)) },
    ],
    'thread/name/updated': ({ threadName }) => {
      const title = textOf(threadName)
      return title ? [{ type: 'session', facts: { title } }] : []
    },
    'model/rerouted': ({ fromModel, toModel }) => {
      const model = textOf(toModel)
      if (!model) return []
      return [
        { type: 'session', facts: { model } },
        notice(`Codex answers with ${model} instead of ${textOf(fromModel) ?? 'the model asked for'}`),
      ]
    },
    'mcpServer/startupStatus/updated': ({ name, status, error }) =>
      status === 'failed'
        ? [
            notice(
              `MCP server ${textOf(name)} could not be started: ${textOf(error) ?? 'no reason was told'}`,
            ),
          ]
        : [],
    error: ({ error, willRetry }) =>
      willRetry === true ? chunks([{ type: 'data-notice', data: describeRetry(fieldsOf(error)) }]) : [],
    warning: ({ message }) => this.#warn(textOf(message)),
    guardianWarning: ({ message }) => this.#warn(textOf(message)),
    // That bubblewrap is missing is of no matter to one that runs without its own sandbox.
    configWarning: ({ summary }) => (/bubblewrap/.test(String(summary)) ? [] : this.#warn(textOf(summary))),
  }

  #begin(item: Fields): AgentEvent[] {
    const id = textOf(item['id']) ?? ''
    if (item['type'] === 'agentMessage') return this.#openText('text', id)
    return chunks(this.tools.begin(item))
  }

  #complete(item: Fields): AgentEvent[] {
    const id = textOf(item['id']) ?? ''
    switch (item['type']) {
      case 'agentMessage':
        return this.#endText(id, 'text', textOf(item['text']))
      case 'reasoning':
        return this.#endText(id, 'reasoning', textsOf(item['summary']).join('\n\n'))
      case 'plan':
        return chunks([{ type: 'data-plan', id, data: { entries: [], text: textOf(item['text']) ?? '' } }])
      case 'contextCompaction':
        return [notice('The context was compacted')]
    }
    return chunks(this.tools.complete(item))
  }

  #say(kind: OpenText['kind'], { itemId, delta }: Fields): AgentEvent[] {
    const [id, text] = [textOf(itemId) ?? '', textOf(delta) ?? '']
    if (!text) return []
    const opening = this.#openText(kind, id)
    this.#texts.get(id)!.said += text
    return [...opening, ...chunks([{ type: `${kind}-delta`, id, delta: text }])]
  }

  #openText(kind: OpenText['kind'], id: string): AgentEvent[] {
    if (this.#texts.has(id)) return []
    this.#texts.set(id, { kind, said: '' })
    return chunks([{ type: `${kind}-start`, id }])
  }

  /** The whole text comes at the end again; only what was not said in pieces is new. */
  #endText(id: string, kind?: OpenText['kind'], whole = ''): AgentEvent[] {
    const open = this.#texts.get(id)
    if (!open && (!kind || !whole)) return []
    const said = open?.said ?? ''
    const rest = kind && whole.startsWith(said) ? whole.slice(said.length) : ''
    const missing = kind && rest ? this.#say(kind, { itemId: id, delta: rest }) : []
    this.#texts.delete(id)
    return [...missing, ...chunks([{ type: `${open?.kind ?? kind}-end`, id }])]
  }

  /** Codex repeats its warnings every turn. */
  #warn(text: string | undefined): AgentEvent[] {
    if (!text || this.#warned.has(text)) return []
    this.#warned.add(text)
    return [notice(text)]
  }
}

export const notice = (text: string): AgentEvent => ({
  type: 'chunk',
  chunk: { type: 'data-notice', data: { text: oneLine(text) } },
})

const chunks = (list: Chunk[]): AgentEvent[] => list.map((chunk) => ({ type: 'chunk', chunk }))

const statuses: Record<string, string> = { inProgress: 'in_progress', completed: 'completed' }

function planChunk({ plan, explanation }: Fields): Chunk {
  const entries = listOf(plan).map(({ step, status }) => ({
    content: textOf(step) ?? '',
    status: statuses[String(status)] ?? 'pending',
    priority: 'medium',
  }))
  return { type: 'data-plan', data: { entries, ...(textOf(explanation) && { text: explanation }) } }
}
