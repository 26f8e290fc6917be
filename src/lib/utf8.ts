/** How many bytes at the end are the beginning of a character whose rest is yet to come: 0 to 3. */
export function unfinishedTail(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const lead = bytes[bytes.length - back]!
    if (isContinuation(lead)) continue
    if (back >= lengthFrom(lead)) return 0
    return back === 1 || fits(lead, bytes[bytes.length - back + 1]!) ? back : 0
  }
  return 0
}

const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80

function lengthFrom(lead: number): number {
  if (lead >= 0xc2 && lead <= 0xdf) return 2
  if (lead >= 0xe0 && lead <= 0xef) return 3
  if (lead >= 0xf0 && lead <= 0xf4) return 4
  return 1
}

/** Overlong forms, surrogates and what lies beyond Unicode are no characters, so nothing of theirs is waited for. */
function fits(lead: number, second: number): boolean {
  if (lead === 0xe0) return second >= 0xa0
  if (lead === 0xed) return second <= 0x9f
  if (lead === 0xf0) return second >= 0x90
  if (lead === 0xf4) return second <= 0x8f
  return true
}
