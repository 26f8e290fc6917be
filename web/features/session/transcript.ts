import type { Usage } from '../../../src/contract/agent-event.ts'
import type { StreamEvent } from '../../../src/contract/event.ts'
import { transcriptStrings } from '../../strings/transcript.ts'
import { fenceAfter } from '../markdown/blocks.ts'
import { clip, mostText, textOf } from './clip.ts'
import { RowStore } from './row-store.ts'
import type { RowLimits } from './row-store.ts'
import { toldBy, toolName, words } from './told.ts'
import type { Fields, Told } from './told.ts'
import { takeData } from './transcript-data.ts'
import type { Row, TextRow, ToolRow } from './transcript-row.ts'

/** A text goes on in another row when it is longer: what is out of sight is not drawn. */
const longestText = 4000
const generous: RowLimits = { rows: 20_000, characters: 30_000_000 }

/** A session's stream as what is said in it, row by row, whatever comes in whatever order. */
export class Transcript {
  readonly store: RowStore
  /** What each turn has used so far. */
  readonly usage = new Map<string, Usage>()
  /** Since when the agent has said nothing, when that is long. */
  silentSince: string | null = null
  /** Where the step began that each turn is in. */
  readonly #steps = new Map<string | null, number>()

  constructor(limits: RowLimits = generous) {
    this.store = new RowStore(limits)
  }

  get rows(): readonly Row[] {
    return this.store.rows
  }

  take(event: StreamEvent): void {
    const told = toldBy(event)
    const { type, fields } = told
    const [, kind, moment] = /^(text|reasoning)-(start|delta|end)$/.exec(type) ?? []
    if (kind && moment) return this.#takeText(kind as TextRow['kind'], moment, told)
    if (type.startsWith('tool-')) return this.#takeTool(told)
    if (type.startsWith('data-')) return takeData(this, told)
    if (type === 'start-step') return this.#startStep(told)
    if (type === 'finish-step') return void this.#steps.delete(told.executionId)
    if (type === 'error') this.notice(told, words(fields['errorText']), true)
    if (type === 'file') this.notice(told, transcriptStrings.file('', words(fields['mediaType'])))
  }

  notice({ seq, executionId }: Told, text: string, isProblem = false): void {
    if (text) this.store.add({ kind: 'notice', key: `${seq}`, executionId, text, isProblem })
  }

  /** A step that has no end was cut off, and its model is asked again: what it had begun to say counts for nothing. */
  #startStep({ seq, executionId }: Told): void {
    const cutOff = this.#steps.get(executionId)
    if (cutOff !== undefined)
      this.store.takeOut(cutOff, (row) => row.executionId === executionId && isOfStep(row))
    this.#steps.set(executionId, seq)
  }

  #takeText(kind: TextRow['kind'], moment: string, { seq, executionId, fields }: Told): void {
    const name = `${executionId} ${kind} ${words(fields['id'])}`
    if (moment === 'end') return void this.store.change(name, kind, () => ({ isOpen: false }))
    const delta = words(fields['delta'])
    if (delta === '') return
    const known = this.store.find(name)
    const isHere = known?.kind === kind && known.isOpen
    const text = (isHere ? known.text : '') + delta
    const pieces = kind === 'text' ? cutUp(text) : [clip(text).text]
    let fence = isHere ? known.fence : ''
    // Named by where the text began: however it arrived, its rows are called the same.
    const [began, number = 0] = isHere ? known.key.split('.').map(Number) : [seq]
    for (const [index, piece] of pieces.entries()) {
      const isOpen = index === pieces.length - 1
      const key = `${began}.${number + index}`
      if (index === 0 && isHere) this.store.change(name, kind, () => ({ text: piece, isOpen }))
      else this.store.add({ kind, key, executionId, text: piece, isOpen, fence }, name)
      fence = fenceAfter(piece, fence)
    }
  }

  #takeTool(told: Told): void {
    const { type, executionId, fields } = told
    if (type.startsWith('tool-approval')) return takeData(this, told)
    const name = toolName(executionId, fields)
    if (this.store.find(name)?.kind !== 'tool') this.#addTool(told, name)
    this.store.change(name, 'tool', (row) => toolAfter(row, type, fields))
  }

  #addTool({ seq, executionId, fields }: Told, name: string): void {
    const row: ToolRow = {
      kind: 'tool',
      key: `${seq}`,
      executionId,
      name: words(fields['toolName']) || 'tool',
      title: '',
      input: undefined,
      inputText: '',
      output: null,
      said: '',
      diffs: [],
      state: 'running',
      queue: '',
      asked: null,
      byRule: false,
    }
    this.store.add(row, name)
  }
}

const isOfStep = ({ kind }: Row): boolean => kind === 'text' || kind === 'reasoning' || kind === 'tool'

function toolAfter(row: ToolRow, type: string, fields: Fields): Partial<ToolRow> {
  const { input, title } = fields
  switch (type) {
    case 'tool-input-delta':
      return { inputText: clip(row.inputText + words(fields['inputTextDelta'])).text }
    case 'tool-input-start':
    case 'tool-input-available':
    case 'tool-input-error':
      return {
        name: words(fields['toolName']) || row.name,
        title: words(title) || row.title,
        ...(input !== undefined && { input: kept(input), inputText: '' }),
        ...(type === 'tool-input-error' && { state: 'failed', output: clip(words(fields['errorText'])) }),
      }
    case 'tool-output-available': {
      const output = clip(textOf(fields['output']))
      const state = isError(fields['output']) ? 'failed' : 'done'
      return { output, ...(fields['preliminary'] !== true && { state }) }
    }
    case 'tool-output-error':
      return { output: clip(words(fields['errorText'])), state: 'failed' }
    case 'tool-output-denied':
      return { state: 'denied' }
  }
  return {}
}

/** An answer of MCP that tells of a failure. */
const isError = (output: unknown): boolean => (output as { isError?: unknown } | null)?.isError === true

/** An input of megabytes is kept as the beginning of its text. */
function kept(input: unknown): unknown {
  const text = typeof input === 'string' ? input : JSON.stringify(input)
  return text.length > mostText ? clip(text).text : input
}

/** At the end of a line where there is one, else anywhere but inside a character. */
function cutUp(text: string): string[] {
  const pieces: string[] = []
  let rest = text
  while (rest.length > longestText) {
    const line = rest.lastIndexOf('\n', longestText - 1) + 1
    const piece = line > 0 ? rest.slice(0, line) : clip(rest, longestText).text
    pieces.push(piece)
    rest = rest.slice(piece.length)
  }
  return [...pieces, rest]
}
