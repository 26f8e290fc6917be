import type { TerminalSaid, TerminalToken, TerminalTold } from '../../../src/contract/terminal.ts'

export type LinkState =
  | { name: 'opening' }
  | { name: 'live' }
  /** It is tried again at `retryAt`; `reason` is the newest that is known of why not. */
  | { name: 'lost'; failures: number; retryAt: number; reason: string | null }
  | { name: 'ended'; reason: string; canReturn: boolean }

export type Ready = Extract<TerminalTold, { type: 'ready' }>
export type Viewers = Extract<TerminalTold, { type: 'viewers' }>

export interface LinkOptions {
  /** A token is good for one attempt, so each begins with a new one. */
  ask: () => Promise<TerminalToken>
  /** Why asking again would be answered the same; undefined when it might not. */
  refusalIn: (error: unknown) => { reason: string; canReturn: boolean } | undefined
  onState: (state: LinkState) => void
  /** Everything that follows draws the window from nothing. */
  onReady: (ready: Ready) => void
  onViewers: (viewers: Viewers) => void
  /** So many bytes of what was sent are lost: the program does not read. */
  onRefused: (bytes: number) => void
  onBytes: (bytes: Uint8Array) => void
  /** Said as soon as somebody listens, before anything is drawn. */
  firstWords: () => TerminalSaid[]
  pauseMs?: (failures: number) => number
  /** How long it may take from the socket's opening to the first word. */
  patienceMs?: number
}

export interface Link {
  /** Whether what is sent now gets there. */
  isLive: () => boolean
  send: (bytes: Uint8Array<ArrayBuffer>) => void
  tell: (said: TerminalSaid) => void
  /** So many bytes have been sent and are not on their way yet. */
  buffered: () => number
  /** Opens it anew, now. */
  again: () => void
  close: () => void
}

const pause = (failures: number) => Math.min(10_000, 300 * 2 ** failures)

/** One window of a terminal, for as long as it is looked at: opened again with a new token whenever the socket dies. */
export function openLink(options: LinkOptions): Link {
  const { ask, refusalIn, onState, onReady, onViewers, onRefused, onBytes, firstWords } = options
  const { pauseMs = pause, patienceMs = 10_000 } = options
  let socket: WebSocket | undefined
  let attempt = 0
  let failures = 0
  let isLive = false
  let timer: ReturnType<typeof setTimeout> | undefined

  /** Nothing that an earlier attempt still says is heard from here on. */
  function leave(): void {
    attempt += 1
    isLive = false
    clearTimeout(timer)
    socket?.close()
    socket = undefined
  }

  function lose(reason: string | null): void {
    leave()
    const wait = pauseMs(failures)
    failures += 1
    onState({ name: 'lost', failures, retryAt: Date.now() + wait, reason })
    timer = setTimeout(() => void begin(), wait)
  }

  function end(reason: string, canReturn: boolean): void {
    leave()
    onState({ name: 'ended', reason, canReturn })
  }

  async function begin(): Promise<void> {
    leave()
    const mine = attempt
    try {
      const { url, token } = await ask()
      if (mine === attempt) dial(`${url}?token=${encodeURIComponent(token)}`, mine)
    } catch (error) {
      if (mine !== attempt) return
      const refusal = refusalIn(error)
      if (refusal) end(refusal.reason, refusal.canReturn)
      else lose(error instanceof Error ? error.message : String(error))
    }
  }

  function dial(address: string, mine: number): void {
    const dialled = new WebSocket(address)
    dialled.binaryType = 'arraybuffer'
    socket = dialled
    timer = setTimeout(() => mine === attempt && lose(null), patienceMs)
    dialled.addEventListener('open', () => {
      if (mine === attempt) for (const said of firstWords()) dialled.send(JSON.stringify(said))
    })
    dialled.addEventListener('message', ({ data }: MessageEvent<ArrayBuffer | string>) => {
      if (mine !== attempt) return
      if (typeof data === 'string') hear(JSON.parse(data) as TerminalTold)
      else onBytes(new Uint8Array(data))
    })
    // Why it was refused is not told to pages; that it was is.
    dialled.addEventListener('close', ({ reason }) => mine === attempt && lose(reason || null))
  }

  function hear(told: TerminalTold): void {
    if (told.type === 'ended') return end(told.reason, told.canReturn)
    if (told.type === 'viewers') return onViewers(told)
    if (told.type === 'refused') return onRefused(told.bytes)
    clearTimeout(timer)
    failures = 0
    isLive = true
    onReady(told)
    onState({ name: 'live' })
  }

  void begin()
  return {
    isLive: () => isLive,
    send: (bytes) => isLive && socket?.send(bytes),
    tell: (said) => socket?.readyState === WebSocket.OPEN && socket.send(JSON.stringify(said)),
    buffered: () => socket?.bufferedAmount ?? 0,
    again: () => {
      failures = 0
      onState({ name: 'opening' })
      void begin()
    },
    close: leave,
  }
}
