import { Outlet } from '../outlet.ts'
import type { AgentEvent } from '../port.ts'
import { askedBy } from './approvals.ts'
import { Decoder, notice } from './decode.ts'
import type { Fields } from './fields.ts'
import { fieldsOf, textOf } from './fields.ts'
import { Pending } from './pending.ts'
import type { RequestId, Rpc } from './rpc.ts'
import { methodNotFound } from './rpc.ts'

export interface CodexEnd {
  status: 'completed' | 'failed' | 'interrupted'
  error?: unknown
  /** It did not end when it was interrupted: there is no use in speaking to this Codex any more. */
  isDeaf?: boolean
}

export interface Turn {
  id: PromiseWithResolvers<string | undefined>
  knownId?: string
  ended: PromiseWithResolvers<CodexEnd>
  isOver: boolean
}

const mostMalformedTold = 10

/** Hears what Codex says and asks, and knows which turn it belongs to. */
export class Ears {
  readonly outlet = new Outlet()
  readonly decoder = new Decoder()
  readonly pending: Pending
  readonly #rpc: () => Rpc
  readonly #completed = new Map<string, () => void>()
  #threadId: string | undefined
  #ownServer: string | undefined
  #turn: Turn | undefined
  #malformed = 0

  constructor(rpc: () => Rpc) {
    this.#rpc = rpc
    this.pending = new Pending((id, result) => this.#rpc().answer(id, result))
  }

  /** From now on this thread is ours; others are those of its sub-agents. */
  follow(threadId: string, ownServer: string): void {
    this.#threadId = threadId
    this.#ownServer = ownServer
  }

  /** Resolves when Codex says that the turn has ended, or is gone. */
  beginTurn(): Promise<CodexEnd> {
    const turn: Turn = { id: Promise.withResolvers(), ended: Promise.withResolvers(), isOver: false }
    this.#turn = turn
    return turn.ended.promise
  }

  turnStarted(turn: unknown): void {
    const id = textOf(fieldsOf(turn)['id'])
    if (!this.#turn || this.#turn.knownId || !id) return
    this.#turn.knownId = id
    this.#turn.id.resolve(id)
  }

  /** Of the turn under way, as soon as Codex tells it. */
  async turnId(): Promise<string | undefined> {
    return this.#turn?.isOver ? undefined : this.#turn?.id.promise
  }

  /** The one under way. */
  get turn(): Turn | undefined {
    return this.#turn?.isOver ? undefined : this.#turn
  }

  /** It was interrupted: should Codex never say that it has ended, it has failed. */
  expectEnd(turn: Turn, patienceMs: number): void {
    const patience = setTimeout(() => {
      turn.isOver = true
      turn.id.resolve(undefined)
      turn.ended.resolve({ status: 'failed', isDeaf: true })
    }, patienceMs)
    void turn.ended.promise.then(() => clearTimeout(patience))
  }

  /** Tells the end of everything that is still open. */
  async endTurn(how: CodexEnd['status']): Promise<void> {
    const turnId = this.#turn?.knownId
    this.#turn?.id.resolve(undefined)
    this.#turn = undefined
    await this.outlet.tell([...this.pending.close(turnId), ...this.decoder.close(how)])
  }

  /** Resolves when this item is completed, or after a while. */
  async completed(itemId: string, patienceMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const patience = setTimeout(resolve, patienceMs)
    this.#completed.set(itemId, resolve)
    await promise
    clearTimeout(patience)
    this.#completed.delete(itemId)
  }

  note(text: string): Promise<void> {
    return this.outlet.tell([notice(text)])
  }

  async onNotification(method: string, params: Fields, at: number): Promise<void> {
    if (method === 'serverRequest/resolved')
      return this.outlet.tell(this.pending.resolve(params['requestId']))
    const threadId = textOf(params['threadId'])
    if (threadId && this.#threadId && threadId !== this.#threadId) return
    if (method === 'turn/started') return this.turnStarted(params['turn'])
    if (method === 'turn/completed') return this.#completeTurn(fieldsOf(params['turn']))
    // After a resume the numbers of the last turn are told again.
    if (method === 'thread/tokenUsage/updated' && params['turnId'] !== this.#turn?.knownId) return
    await this.outlet.tell(this.decoder.take(method, params, at))
    if (method === 'item/completed') this.#completed.get(textOf(fieldsOf(params['item'])['id']) ?? '')?.()
  }

  async onRequest(id: RequestId, method: string, params: Fields): Promise<void> {
    const asked = askedBy(method, params, this.decoder.tools, this.#ownServer)
    if (asked) return this.outlet.tell([this.pending.ask(id, textOf(params['turnId']), asked)])
    this.#rpc().refuse(id, methodNotFound, `This client does not know ${method}`)
    return this.note(`Codex asked for something that is not known here: ${method}`)
  }

  onMalformed(why: string): void {
    this.#malformed += 1
    if (this.#malformed > mostMalformedTold) return
    const last = this.#malformed === mostMalformedTold ? '; more of them are not told' : ''
    const event: AgentEvent = notice(
      `Codex said something that cannot be understood and is skipped: ${why}${last}`,
    )
    void this.outlet.tell([event])
  }

  /** Whatever it had to say is told. */
  onEnd(error: unknown): void {
    this.#over({ status: 'failed', error })
  }

  #completeTurn(turn: Fields): void {
    const known = this.#turn?.knownId
    if (known && textOf(turn['id']) !== known) return
    const status = turn['status']
    this.#over({
      status: status === 'completed' || status === 'interrupted' ? status : 'failed',
      error: turn['error'] ?? undefined,
    })
  }

  #over(end: CodexEnd): void {
    if (!this.#turn) return
    this.#turn.isOver = true
    this.#turn.id.resolve(undefined)
    this.#turn.ended.resolve(end)
  }
}
