/** Takes what a program writes, in whatever pieces it comes, and answers with what of it may reach a browser's terminal. */
export type Filter = (bytes: Buffer) => Buffer

export interface FilterOptions {
  /** Of what moves and changes a screen only colours are left: for text that is read, not played. */
  onlyColours?: boolean
}

const [BEL, CAN, SUB, ESC, BRACKET, ST, C1] = [0x07, 0x18, 0x1a, 0x1b, 0x5b, 0x9c, 0xc2]
/**
 * What begins a text that is not shown: OSC, and DCS, SOS, PM, APC and the title of screen. After ESC it is a letter; after C2, which is
 * how UTF-8 writes it as one character, another byte.
 */
const strings = {
  escape: new Map([']', 'P', 'X', '^', '_', 'k'].map((letter) => [letter.charCodeAt(0), letter])),
  c1: new Map([
    [0x9d, ']'],
    [0x90, 'P'],
    [0x98, 'X'],
    [0x9e, '^'],
    [0x9f, '_'],
  ]),
}
/** A sequence that is longer is none that anybody means. */
const longestSequence = 256
const longestText = 2_048
/** The kind of an OSC that is too long. */
const lost = 'lost'
/** Colours of the palette, the text, the background and the cursor, and back. To ask for them is to have an answer typed: not let through. */
const harmless = /^(?:(?:4|10|11|12);[\x20-\x3e\x40-\x7e]*|104(?:;[\d;]*)?|11[012])$/
const link = /^8;[\x20-\x3a\x3c-\x7e]*;(?:https?:\/\/[\x21-\x7e]*)?$/

/**
 * Leaves out what would reach beyond the screen: the clipboard (OSC 52), titles, files, notifications, other links than to the web, and
 * what terminals pass on to others (DCS). All else is kept byte for byte. Memory is bounded, wherever the pieces are cut.
 */
export function openFilter({ onlyColours = false }: FilterOptions = {}): Filter {
  let state: 'text' | 'escape' | 'c1' | 'csi' | 'string' = 'text'
  /** What was read of a sequence that is not over, or of the text in it. */
  let held: number[] = []
  /** Which kind of text it is. */
  let kind = ''

  return (bytes) => {
    const kept: Buffer[] = []
    const begins = findBegins(bytes)
    let at = 0
    while (at < bytes.length) {
      if (state === 'text') {
        const found = plainUntil(bytes, at, begins)
        if (found > at) kept.push(bytes.subarray(at, found))
        if (found === bytes.length) break
        held = [bytes[found]!]
        state = bytes[found] === ESC ? 'escape' : 'c1'
        at = found + 1
      } else {
        const done = take(bytes[at]!)
        if (done) kept.push(done)
        at += 1
      }
    }
    return kept.length === 1 ? kept[0]! : Buffer.concat(kept)
  }

  /** The end of what is kept without a second thought: text, and sequences that are whole in this piece. */
  function plainUntil(bytes: Buffer, from: number, begins: (at: number) => number): number {
    for (let at = begins(from); at < bytes.length;) {
      if (bytes[at] === C1) {
        const after = bytes[at + 1] ?? 0
        if (after < 0xa0 || after === C1) return at
        at = begins(at + 2)
      } else {
        const end = onlyColours || bytes[at + 1] !== BRACKET ? -1 : endOfSequence(bytes, at + 2)
        if (end === -1) return at
        at = begins(end)
      }
    }
    return bytes.length
  }

  /** One byte of a sequence. Answers with what of it is kept, once that is decided. */
  function take(byte: number): Buffer | undefined {
    if (state === 'csi') return inSequence(byte)
    if (state === 'string') return inString(byte)
    if (byte === ESC) return restart() // what came before means nothing
    if (byte === C1) return restart(C1) // also behind another: half a character is none, and the next one begins here
    // A terminal obeys those at once, and goes on with the sequence.
    if (state === 'escape' && isControl(byte)) return onlyColours ? undefined : Buffer.from([byte])
    held.push(byte)
    const begun = strings[state === 'c1' ? 'c1' : 'escape'].get(byte)
    if (begun !== undefined) return beginString(begun)
    if (byte === (state === 'c1' ? 0x9b : BRACKET)) return void (state = 'csi')
    if (state === 'c1') return finish(!(onlyColours && byte >= 0x80 && byte < 0xa0)) // most are letters as any other
    // Between ESC and its letter there may be others: ESC ( B.
    if (byte >= 0x20 && byte <= 0x2f && held.length < 4) return undefined
    return finish(!onlyColours)
  }

  function inSequence(byte: number): Buffer | undefined {
    if (byte === ESC || byte === C1) return restart(byte)
    if (byte === CAN || byte === SUB) return finish(false)
    const isTooLong = held.length >= longestSequence
    if (!isTooLong) held.push(byte)
    if (!isFinal(byte)) return undefined
    return finish(!isTooLong && (!onlyColours || byte === 0x6d))
  }

  function inString(byte: number): Buffer | undefined {
    if (byte === ST && held.at(-1) === C1) return endString(held.slice(0, -1))
    if (byte === BEL && (kind === ']' || kind === lost)) return endString(held)
    if (byte === CAN || byte === SUB) return finish(false)
    if (byte === ESC) {
      // Any ESC ends it. That of the usual ending goes on with a backslash, which by itself means nothing.
      const said = endString(held)
      restart()
      return said
    }
    if (held.length >= longestText) kind = lost
    if (kind === ']') held.push(byte)
    else held = [byte]
    return undefined
  }

  function beginString(begun: string): undefined {
    state = 'string'
    kind = begun
    held = []
  }

  function endString(read: readonly number[]): Buffer | undefined {
    const text = kind === ']' && !onlyColours ? Buffer.from(read).toString('latin1') : ''
    finish(false)
    return harmless.test(text) || link.test(text) ? Buffer.from(`\x1b]${text}\x07`, 'latin1') : undefined
  }

  function finish(isKept: boolean): Buffer | undefined {
    const sequence = isKept ? Buffer.from(held) : undefined
    state = 'text'
    held = []
    return sequence
  }

  function restart(byte = ESC): undefined {
    state = byte === C1 ? 'c1' : 'escape'
    held = [byte]
  }
}

const isControl = (byte: number): boolean => (byte < 0x20 || byte === 0x7f) && byte !== CAN && byte !== SUB
const isFinal = (byte: number): boolean => byte >= 0x40 && byte <= 0x7e

/** Behind the last byte of a sequence; -1 when it is not over in this piece, or is not as it should be. */
function endOfSequence(bytes: Buffer, from: number): number {
  const last = Math.min(bytes.length, from + longestSequence - 2)
  for (let at = from; at < last; at += 1) {
    const byte = bytes[at]!
    if (isFinal(byte)) return at + 1
    if (byte < 0x20 || byte > 0x7e) return -1
  }
  return -1
}

/** Says where the next sequence may begin, from a place on; its end when none does. Each byte is looked at once for either beginning. */
function findBegins(bytes: Buffer): (from: number) => number {
  let escape = -1
  let c1 = -1
  const find = (byte: number, from: number) => {
    const found = bytes.indexOf(byte, from)
    return found === -1 ? bytes.length : found
  }
  return (from) => {
    if (escape < from) escape = find(ESC, from)
    if (c1 < from) c1 = find(C1, from)
    return Math.min(escape, c1)
  }
}
