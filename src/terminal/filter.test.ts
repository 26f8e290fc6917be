import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openFilter } from './filter.ts'

const filtered = (text: string, options = {}): string => openFilter(options)(Buffer.from(text)).toString()
/** The same, byte by byte. */
function inPieces(bytes: Buffer, cuts: number[] = []): Buffer {
  const filter = openFilter()
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].toSorted((a, b) => a - b)
  let from = 0
  const out = [...ends, bytes.length].map((end) => filter(bytes.subarray(from, (from = end))))
  return Buffer.concat(out)
}

it.each([
  ['the clipboard', '\x1b]52;c;aGVsbG8=\x07'],
  ['the clipboard, ended as it should be', '\x1b]52;c;aGVsbG8=\x1b\\'],
  ['the clipboard, in characters of C1', '\u009d52;c;aGVsbG8=\u009c'],
  ['the title', '\x1b]0;mine\x07'],
  ['the title of the window', '\x1b]2;mine\x1b\\'],
  ['the title of the icon', '\x1b]1;mine\x07'],
  ['the title of screen', '\x1bkmine\x1b\\'],
  ['what tmux passes through', '\x1bPtmux;\x1b\x1b]52;c;aGVsbG8=\x07\x1b\\'],
  ['a DCS in C1', '\u0090+q544e\u009c'],
  ['an APC', '\x1b_Ga=T;AAAA\x1b\\'],
  ['a privacy message', '\x1b^secret\x1b\\'],
  ['a working folder', '\x1b]7;file:///etc\x07'],
  ['a notification', '\x1b]9;hello\x07'],
  ['a picture of iTerm', '\x1b]1337;File=inline=1:AAAA\x07'],
  ['asking for a colour', '\x1b]11;?\x07'],
  ['the clipboard within a colour', '\x1b]4;\u009d52;c;aGVsbG8=\x07'],
  ['a link to a file', '\x1b]8;;file:///etc/passwd\x07'],
  ['a link to a script', '\x1b]8;;javascript:alert(1)\x1b\\'],
  ['a text without end', `\x1b]52;c;${'A'.repeat(1_000_000)}`],
])('leaves out %s', (_, bad) => {
  const out = filtered(`before${bad}`)
  expect(out.replaceAll('\x1b\\', '')).toMatch(/^before/)
  expect(out).not.toMatch(/52;|mine|aGVs|AAAA|secret|544e|etc|hello|\?|javascript/)
})

it.each([
  ['text', 'plain, and ünïcödé §°·\u00a0 ✓'],
  ['colours', '\x1b[1;38;5;208mbold\x1b[0m'],
  ['moves', '\x1b[2J\x1b[H\x1b[3;4H\x1b[?25l\x1b[1;30r\x1b[K'],
  ['other sequences', '\x1b(B\x1b=\x1b7\x1b8\x1b#8'],
  ['a link to the web', '\x1b]8;;https://example.com/a?b#c\x07here\x1b]8;;\x07'],
  ['a colour of the palette', '\x1b]4;1;rgb:ff/00/00\x07\x1b]104\x07'],
])('keeps %s as it is', (_, good) => {
  expect(filtered(good)).toBe(good)
})

it('goes on after a text that was cut off, broken off, or begun by another', () => {
  expect(filtered('\x1b]0;a\x18b')).toBe('b')
  expect(filtered('\x1b]0;a\x1b[1mb')).toBe('\x1b[1mb')
  expect(filtered('\x1b\x1b]0;a\x07b')).toBe('b')
  expect(filtered('\x1b[12\x1b]0;a\x07b')).toBe('b')
})

it.each([
  ['behind half a character', '\xc2\xc2\x9d52;c;aGVsbG8=\xc2\x9c'],
  ['behind several', '\xc2\xc2\xc2\xc2\x9d52;c;aGVsbG8=\x07'],
  ['begun around another control', '\x1b\x01]52;c;aGVsbG8=\x07'],
  ['begun around a deletion', '\x1b\x7f]52;c;aGVsbG8=\x07'],
  ['in what belongs to a link', '\x1b]8;\xc2\x9d52;https://a.b\x07'],
])('leaves out the clipboard %s, as a browser reads the bytes', (_, bad) => {
  const bytes = Buffer.from(`before${bad}after`, 'latin1')
  for (const options of [{}, { onlyColours: true }]) {
    const whole = openFilter(options)(bytes).toString('latin1')
    expect(whole.replaceAll(/[^ -~]/g, '')).toBe('beforeafter')
    const filter = openFilter(options)
    const pieces = [...bytes].map((byte) => filter(Buffer.from([byte])))
    expect(Buffer.concat(pieces).toString('latin1')).toBe(whole)
  }
})

it('leaves only colours of what is read', () => {
  expect(
    filtered('\x1b[2J\x1b[1mbold\x1b[0m\x1b[10;10H\x1b(B\u009b2J§\x1b]8;;https://a.b\x07x', {
      onlyColours: true,
    }),
  ).toBe('\x1b[1mbold\x1b[0m§x')
})

describe('however it is cut', () => {
  const parts = fc.constantFrom(
    '\x1b',
    '[',
    ']',
    '0;',
    '52;c;',
    'P',
    'm',
    '\x07',
    '\\',
    '\x18',
    'ä',
    '§',
    '\u009d',
    '\u009c',
    '\u009b',
    '8;;',
    'https://a.b',
    'k',
    'text',
    '\r\n',
  )
  const texts = fc.array(parts, { maxLength: 40 }).map((all) => Buffer.from(all.join('')))

  it('comes out the same', () => {
    fc.assert(
      fc.property(texts, fc.array(fc.nat(), { maxLength: 20 }), (bytes, cuts) => {
        expect(inPieces(bytes, cuts).toString('latin1')).toBe(inPieces(bytes).toString('latin1'))
      }),
      { numRuns: 2_000 },
    )
  })

  it('never lets the beginning of a forbidden text out', () => {
    fc.assert(
      fc.property(texts, (bytes) => {
        const out = openFilter()(bytes).toString()
        // oxlint-disable-next-line no-control-regex -- that is what they are
        expect(out).not.toMatch(/\x1b\]52|\x1b\]0|\x1b[Pk]|[\u009d\u0090]/)
      }),
      { numRuns: 2_000 },
    )
  })
})

it('takes a text without end in little memory, and hardly any time', () => {
  const filter = openFilter()
  filter(Buffer.from('\x1b]52;c;'))
  const piece = Buffer.alloc(1 << 20, 'A')
  const before = process.memoryUsage().heapUsed
  for (let count = 0; count < 8; count += 1) expect(filter(piece)).toHaveLength(0)
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 << 20)
  expect(filter(Buffer.from('\x07done')).toString()).toBe('done')
})
