import type { Chunk } from '#contract/agent-event.ts'

// From what an agent says in a turn to what the AI SDK's chat clients can read, whatever is missing or out of order.
//
// Such a client answers a question only once the stream has ended, and only when no other tool call of the same step is
// open. So a question waits until those have ended, and the stream pauses after it; where they take too long, the question
// becomes a part of its own in a step of its own.

/** A question of the agent, as it is shown. */
export interface AskedInTurn {
  approvalId: string
  toolCallId: string | null
  tool: string
  title: string
  input: unknown
  /** What else a page needs to show it: kind, options, questions, schema. */
  descriptor: Record<string, unknown>
}

interface Tool {
  name: string
  input: unknown
  step: number
  state: 'streaming' | 'open' | 'asked' | 'closed'
  /** It was told in a message before this one, of which whoever puts this one together knows nothing. */
  isElsewhere?: boolean
}

interface Shown {
  asked: AskedInTurn
  toolCallId: string
  isOwnPart: boolean
  /** What the question is called in this message. */
  name: string
}

type Fields = Record<string, unknown>

const ours = { dynamic: true, providerExecuted: true }
const passed = new Set(['source-url', 'source-document', 'file', 'reasoning-file', 'finish-step'])
/** Each of these replaces the one before. */
const single = new Set(['data-usage', 'data-plan', 'data-session', 'data-commands'])
/** Of interest only while it happens. */
const passing = new Set(['data-stall', 'data-status', 'data-delivery'])

/** What a question is called in a message that begins at `seq`, when one before that has asked it. */
export const askedAgainAs = (approvalId: string, seq: number): string => `${approvalId}.${seq}`

/** One turn, chunk by chunk. Whatever comes out fits together; what makes no sense is left out. */
export class UiTurn {
  /** Open ones, by kind and id, with what closes them. */
  readonly #texts = new Map<string, Chunk>()
  readonly #tools = new Map<string, Tool>()
  /** Asked and shown, by the approval's id, with the call on which it is shown. */
  readonly #asked = new Map<string, Shown>()
  #held: AskedInTurn[] = []
  #step = 0
  #isInStep = false
  /** Where this message begins, if it is not the turn's first. */
  #begunAt: number | undefined
  /** Asked in a message before this one. */
  readonly #askedBefore = new Set<string>()
  /** What the agent itself called an error; the client is told when the turn has ended, because it reads no further. */
  error: string | undefined

  /** A person is asked, and everything that can be told before the answer was told. */
  get isWaiting(): boolean {
    return this.#asked.size > 0 && this.#held.length === 0
  }

  /** There are questions that wait for other calls to end. */
  get holdsBack(): boolean {
    return this.#held.length > 0
  }

  /** A step is under way. If another begins now, it was cut off, and is taken again. */
  get isInStep(): boolean {
    return this.#isInStep
  }

  take(chunk: Chunk): Chunk[] {
    const told = this.#translate(chunk)
    return this.#held.length > 0 ? [...told, ...this.#showHeld()] : told
  }

  ask(asked: AskedInTurn): Chunk[] {
    this.#held.push(asked)
    return this.#showHeld()
  }

  /** It was answered, or is not waited for any more. */
  answer(approvalId: string, approved: boolean, reason?: string): Chunk[] {
    this.#held = this.#held.filter((held) => held.approvalId !== approvalId)
    const asked = this.#asked.get(approvalId)
    if (!asked) return []
    this.#asked.delete(approvalId)
    const { toolCallId, isOwnPart, name } = asked
    const tool = this.#tools.get(toolCallId)
    if (tool) tool.state = isOwnPart ? 'closed' : 'open'
    const said = {
      type: 'tool-approval-response',
      approvalId: name,
      approved,
      ...(reason !== undefined && { reason }),
    }
    if (!isOwnPart) return [said]
    const result = approved
      ? { type: 'tool-output-available', toolCallId, output: { approved, reason }, ...ours }
      : { type: 'tool-output-denied', toolCallId }
    return [said, result]
  }

  /** Shows questions that waited long enough, each as a part of its own. */
  showAll(): Chunk[] {
    if (this.#held.length === 0) return []
    this.#step += 1
    const held = this.#held.splice(0)
    return [{ type: 'start-step' }, ...held.flatMap((asked) => this.#showApart(asked))]
  }

  /**
   * Somebody said something, at `seq`, and what comes next is told as another message. What was asked is asked again there, under another
   * name: clients take an answer as one to the first question of a name, and send it only if that is in their last message.
   */
  beginMessage(seq: number): Chunk[] {
    this.pause()
    this.#begunAt = seq
    this.#step += 1
    const shown = [...this.#asked.values()].map(({ asked }) => asked)
    this.#asked.clear()
    this.#held = [...shown, ...this.#held]
    for (const { approvalId } of this.#held) this.#askedBefore.add(approvalId)
    for (const [id, tool] of this.#tools)
      if (tool.state === 'streaming') this.#tools.delete(id)
      else if (tool.state !== 'closed') this.#tools.set(id, { ...tool, state: 'open', isElsewhere: true })
    return this.#held.length > 0 ? this.#showHeld() : []
  }

  /** The stream is about to end although the turn goes on: texts go on as others. */
  pause(): Chunk[] {
    const ends = [...this.#texts.values()]
    this.#texts.clear()
    return ends
  }

  /** The turn is over: nothing stays open. */
  end(why: string): Chunk[] {
    const answered = [...this.#asked.keys()].flatMap((id) => this.answer(id, false, why))
    this.#held = []
    const tools = [...this.#tools].filter(([, { state, isElsewhere }]) => state !== 'closed' && !isElsewhere)
    return [
      ...this.pause(),
      ...answered,
      ...tools.flatMap(([toolCallId, tool]) => this.#closeTool(toolCallId, tool, why)),
    ]
  }

  #translate(chunk: Chunk): Chunk[] {
    const { type } = chunk
    const fields: Fields = chunk
    const [, kind, moment] = /^(text|reasoning)-(start|delta|end)$/.exec(type) ?? []
    if (kind === 'text' || kind === 'reasoning') return this.#takeText(kind, moment ?? '', fields, chunk)
    if (type.startsWith('tool-')) return this.#takeTool(chunk, fields)
    if (type.startsWith('data-')) return takeData(chunk, fields)
    if (type === 'error' && typeof fields['errorText'] === 'string') this.error = fields['errorText']
    if (type === 'start-step') return this.#beginStep(chunk)
    if (type === 'finish-step') this.#isInStep = false
    return passed.has(type) ? [chunk] : []
  }

  #beginStep(chunk: Chunk): Chunk[] {
    const left = this.#isInStep ? this.#leaveStep() : []
    this.#isInStep = true
    this.#step += 1
    return [...left, chunk]
  }

  /** What it had begun goes on nowhere: the next texts and calls are others, even of the same ids. */
  #leaveStep(): Chunk[] {
    const begun = [...this.#tools].filter(
      ([, { step, state }]) => step === this.#step && (state === 'streaming' || state === 'open'),
    )
    return [...this.pause(), ...begun.flatMap(([id, tool]) => this.#closeTool(id, tool, cutOff))]
  }

  #takeText(kind: 'text' | 'reasoning', moment: string, { id, delta }: Fields, chunk: Chunk): Chunk[] {
    if (typeof id !== 'string') return []
    const key = `${kind} ${id}`
    const isOpen = this.#texts.has(key)
    if (moment === 'end') return this.#texts.delete(key) ? [chunk] : []
    if (moment === 'delta' && typeof delta !== 'string') return []
    if (moment === 'start' && isOpen) return []
    this.#texts.set(key, { type: `${kind}-end`, id })
    return moment === 'delta' && !isOpen ? [{ type: `${kind}-start`, id }, chunk] : [chunk]
  }

  #takeTool(chunk: Chunk, fields: Fields): Chunk[] {
    const { type } = chunk
    const id = fields['toolCallId']
    if (typeof id !== 'string') return []
    const tool = this.#tools.get(id)
    if (type === 'tool-input-start' || type === 'tool-input-available')
      return this.#openTool(id, tool, chunk, fields['toolName'])
    if (type === 'tool-input-delta')
      return tool?.state === 'streaming' && tool.step === this.#step ? [chunk] : []
    if (type === 'tool-input-error' && !(tool && tool.step < this.#step)) {
      if (tool?.state === 'closed' || typeof fields['toolName'] !== 'string') return []
      const settled = this.#settleFor(id)
      this.#tools.set(id, { name: fields['toolName'], input: {}, step: this.#step, state: 'closed' })
      return [...settled, { ...chunk, ...ours }]
    }
    if (type === 'tool-input-error')
      return this.#takeTool(
        { type: 'tool-output-error', toolCallId: id, errorText: fields['errorText'] },
        fields,
      )
    if (!/^tool-output-(available|error|denied)$/.test(type) || tool?.state === 'closed') return []
    const opened =
      tool && !tool.isElsewhere
        ? []
        : this.#openTool(id, undefined, callOf(id, tool?.name, tool?.input), tool?.name ?? 'tool')
    const isOver = fields['preliminary'] !== true
    const settled = isOver ? this.#settleFor(id) : []
    if (isOver) this.#tools.get(id)!.state = 'closed'
    return [
      ...opened,
      ...settled,
      type === 'tool-output-denied' ? { type, toolCallId: id } : { ...chunk, ...ours },
    ]
  }

  #openTool(id: string, tool: Tool | undefined, chunk: Chunk, name: unknown): Chunk[] {
    if (typeof name !== 'string') return []
    const isStart = chunk.type === 'tool-input-start'
    // What is asked about stays as it was shown, and a client looks for a call in the present step only.
    const isOpen = tool?.state === 'open' || tool?.state === 'streaming'
    const goesOn = isOpen && !isStart && tool.step === this.#step
    if (tool && !goesOn && !tool.isElsewhere) return []
    this.#tools.set(id, {
      name,
      input: chunk['input'] ?? {},
      step: this.#step,
      state: isStart ? 'streaming' : 'open',
    })
    return [{ ...chunk, ...ours }]
  }

  /** The agent went on without the answer. */
  #settleFor(toolCallId: string): Chunk[] {
    const over = [...this.#asked].filter(([, asked]) => asked.toolCallId === toolCallId)
    this.#held = this.#held.filter((held) => held.toolCallId !== toolCallId)
    return over.flatMap(([id]) => this.answer(id, false, 'The agent went on without an answer'))
  }

  #closeTool(toolCallId: string, tool: Tool, errorText: string): Chunk[] {
    const wasStreaming = tool.state === 'streaming'
    tool.state = 'closed'
    const input = { type: 'tool-input-available', toolCallId, toolName: tool.name, input: {}, ...ours }
    const isHere = wasStreaming && tool.step === this.#step
    return [...(isHere ? [input] : []), { type: 'tool-output-error', toolCallId, errorText, ...ours }]
  }

  #showHeld(): Chunk[] {
    const about = new Set(this.#held.map(({ toolCallId }) => toolCallId))
    const isBusy = [...this.#tools].some(
      ([id, { step, state }]) =>
        step === this.#step && (state === 'open' || state === 'streaming') && !about.has(id),
    )
    return isBusy ? [] : this.#held.splice(0).flatMap((asked) => this.#show(asked))
  }

  #show(asked: AskedInTurn): Chunk[] {
    const { toolCallId, approvalId, input, title } = asked
    const tool = toolCallId === null ? undefined : this.#tools.get(toolCallId)
    const isOpen = tool?.state === 'open' || tool?.state === 'streaming'
    if (!toolCallId || !tool || !isOpen || !(tool.step === this.#step || tool.isElsewhere))
      return this.#showApart(asked)
    const name = this.#nameOf(approvalId, tool.isElsewhere)
    this.#tools.set(toolCallId, { name: tool.name, input, step: this.#step, state: 'asked' })
    this.#asked.set(approvalId, { asked, toolCallId, isOwnPart: false, name })
    const shown = { type: 'tool-input-available', toolCallId, toolName: tool.name, input, title, ...ours }
    return [shown, requestOf(asked, toolCallId, name)]
  }

  #showApart(asked: AskedInTurn): Chunk[] {
    const { approvalId, tool, input, title } = asked
    const name = this.#nameOf(approvalId)
    this.#tools.set(approvalId, { name: tool, input, step: this.#step, state: 'asked' })
    this.#asked.set(approvalId, { asked, toolCallId: approvalId, isOwnPart: true, name })
    return [
      { type: 'tool-input-available', toolCallId: approvalId, toolName: tool, input, title, ...ours },
      requestOf(asked, approvalId, name),
    ]
  }

  #nameOf(approvalId: string, isAboutElsewhere = false): string {
    const isAgain = isAboutElsewhere || this.#askedBefore.has(approvalId)
    return isAgain && this.#begunAt !== undefined ? askedAgainAs(approvalId, this.#begunAt) : approvalId
  }
}

const cutOff = 'The step was cut off, and is taken again'

const callOf = (toolCallId: string, toolName = 'tool', input: unknown = {}): Chunk => ({
  type: 'tool-input-available',
  toolCallId,
  toolName,
  input,
})

const requestOf = (
  { tool, title, descriptor }: AskedInTurn,
  toolCallId: string,
  approvalId: string,
): Chunk => ({
  type: 'tool-approval-request',
  approvalId,
  toolCallId,
  approvalDescriptor: { tool, title, ...descriptor },
})

function takeData(chunk: Chunk, fields: Fields): Chunk[] {
  if (fields['data'] === undefined || chunk.type === 'data-terminal') return []
  if (passing.has(chunk.type)) return [{ ...chunk, transient: true }]
  return single.has(chunk.type) && fields['id'] === undefined
    ? [{ ...chunk, id: chunk.type.slice('data-'.length) }]
    : [chunk]
}
