/** What is typed and pasted, on its way to the program, in order. */
export interface Outgoing {
  /** Text, or bytes as one character each (`binary`). */
  put: (text: string, kind?: 'text' | 'binary') => void
  /** Takes back what has not been sent; answers with how much that was. */
  drop: () => number
}

export interface OutgoingNeeds {
  send: (bytes: Uint8Array<ArrayBuffer>) => void
  /** So many bytes are still in the socket. */
  buffered: () => number
  /** So many characters wait here; called whenever that changes. */
  onWaiting: (characters: number) => void
}

/** One frame. Small enough for any server, large enough to be few. */
const pieceLength = 16_384
/** With so many bytes in the socket nothing more goes in: whoever reads is slower than we are. */
const enough = 65_536
const lookAgainMs = 10

/** However much is pasted, little of it is in the socket at a time, and what has not left can be taken back. */
export function openOutgoing({ send, buffered, onWaiting }: OutgoingNeeds): Outgoing {
  const encoder = new TextEncoder()
  let waiting: { text: string; kind: 'text' | 'binary' }[] = []
  let told = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const amount = () => waiting.reduce((sum, { text }) => sum + text.length, 0)

  function flush(): void {
    timer = undefined
    for (let first = waiting[0]; first && buffered() < enough; first = waiting[0]) {
      const cut = pieceEnd(first.text)
      const piece = first.text.slice(0, cut)
      send(first.kind === 'text' ? encoder.encode(piece) : Uint8Array.from(piece, byteOf))
      if (cut === first.text.length) waiting.shift()
      else first.text = first.text.slice(cut)
    }
    if (waiting.length > 0) timer = setTimeout(flush, lookAgainMs)
    say(amount())
  }

  /** What is typed is gone at once, and not worth a word. */
  function say(now: number): void {
    if (now === told) return
    told = now
    onWaiting(now)
  }

  return {
    put: (text, kind = 'text') => {
      if (text === '') return
      waiting.push({ text, kind })
      if (timer === undefined) flush()
    },
    drop: () => {
      const dropped = amount()
      waiting = []
      clearTimeout(timer)
      timer = undefined
      say(0)
      return dropped
    },
  }
}

const byteOf = (character: string) => character.charCodeAt(0) & 255

/** Never between the two halves of a character. */
function pieceEnd(text: string): number {
  if (text.length <= pieceLength) return text.length
  return /[\ud800-\udbff]/.test(text.charAt(pieceLength - 1)) ? pieceLength - 1 : pieceLength
}
