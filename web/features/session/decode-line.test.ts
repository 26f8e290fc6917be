import { describe, expect, it } from 'vitest'
import { decodeLine, styleAfter } from './decode-line.ts'
import { paletteColour, plain } from './style.ts'

const esc = '\u001b'
const decode = (raw: string) => decodeLine(raw, plain)
const text = (raw: string) =>
  decode(raw)
    .map((span) => span.text)
    .join('')

describe('colours', () => {
  it('leaves plain text as it is', () => {
    expect(decode('a\tb <script>&amp; 日本')).toEqual([{ text: 'a\tb <script>&amp; 日本', style: plain }])
    expect(decode('')).toEqual([])
  })

  it('knows the codes of styles and the sixteen colours', () => {
    expect(decode(`${esc}[1;31mred${esc}[0m and ${esc}[92;44mgreen${esc}[39m`)).toEqual([
      { text: 'red', style: { bold: true, front: 1 } },
      { text: ' and ', style: plain },
      { text: 'green', style: { front: 10, back: 4 } },
    ])
    expect(decode(`${esc}[1;2;3;4;7;9mx${esc}[22;23;24;27;29my`)).toEqual([
      {
        text: 'x',
        style: { bold: true, dim: true, italic: true, underline: true, inverse: true, strike: true },
      },
      { text: 'y', style: {} },
    ])
    expect(decode(`${esc}[3mx${esc}[my`).map(({ style }) => style)).toEqual([{ italic: true }, plain])
  })

  it('knows the palette and all other colours, in both spellings', () => {
    expect(decode(`${esc}[38;5;208mx`)).toEqual([{ text: 'x', style: { front: 208 } }])
    expect(decode(`${esc}[48;2;1;2;3mx`)).toEqual([{ text: 'x', style: { back: 'rgb(1 2 3)' } }])
    expect(decode(`${esc}[38:2::1:2:3mx`)).toEqual([{ text: 'x', style: { front: 'rgb(1 2 3)' } }])
    expect(decode(`${esc}[38:5:9;1mx`)).toEqual([{ text: 'x', style: { front: 9, bold: true } }])
    expect([16, 21, 196, 231, 232, 255].map(paletteColour)).toEqual([
      'rgb(0 0 0)',
      'rgb(0 0 255)',
      'rgb(255 0 0)',
      'rgb(255 255 255)',
      'rgb(8 8 8)',
      'rgb(238 238 238)',
    ])
  })

  it.each(['38', '38;2;1', '38;5;999', '48;2;1;2;300', '38;9;1', '999', '?1', '>4;2'])(
    'is not confused by %s',
    (codes) => {
      const [span] = decode(`${esc}[${codes}mx`)
      expect(span?.text).toBe('x')
      expect(span?.style.front).toBe(undefined)
      expect(span?.style.back).toBe(undefined)
    },
  )

  it('go on in the next line', () => {
    expect(styleAfter(`a ${esc}[31mb`, plain)).toEqual({ front: 1 })
    expect(decodeLine(`c${esc}[0md`, { front: 1 })).toEqual([
      { text: 'c', style: { front: 1 } },
      { text: 'd', style: plain },
    ])
  })
})

it.each([
  ['moving the cursor', `a${esc}[2Jb${esc}[10;20Hc${esc}[?25ld`, 'abcd'],
  ['the window’s title', `a${esc}]0;evil\u0007b`, 'ab'],
  ['a link, but not its text', `${esc}]8;;http://x\u001b\\text${esc}]8;;\u001b\\`, 'text'],
  ['the clipboard, also without an end', `a${esc}]52;c;ZXZpbA==`, 'a'],
  ['device strings', `a${esc}P1$r0m${esc}\\b`, 'ab'],
  ['sets of characters and modes', `a${esc}(Bb${esc}=c${esc}7d`, 'abcd'],
  ['eight-bit sequences', 'a\u009b31mb\u009d0;x\u009cc', 'abc'],
  ['half a sequence at the end', `a${esc}[38;5`, 'a'],
  ['a lone escape', `a${esc}`, 'a'],
  ['other control characters', 'a\u0000\u0001\u0007\u007fb', 'ab'],
])('drops %s', (_what, raw, expected) => {
  expect(text(raw)).toBe(expected)
})

describe('a line that is rewritten', () => {
  it.each([
    ['100%', ' 10%\r 50%\r100%'],
    ['bazbar', 'foobar\rbaz'],
    ['ok', `downloading…\r${esc}[Kok`],
    ['ok', `downloading…${esc}[2K\rok`],
    ['ac', 'ab\bc'],
    ['x', '\b\b\rx'],
    ['a   b', `a${esc}[3Cb`],
    ['b', `a${esc}[1Gb`],
    ['', `gone\r${esc}[K`],
  ])('ends as %j', (expected, raw) => {
    expect(text(raw)).toBe(expected)
  })

  it('keeps the colours of what is left', () => {
    expect(decode(`${esc}[31mabc\r${esc}[32mx`)).toEqual([
      { text: 'x', style: { front: 2 } },
      { text: 'bc', style: { front: 1 } },
    ])
  })

  it('does not make a line of a million columns', () => {
    expect(text(`a\r${esc}[999999999Cb`).length).toBeLessThan(10_100)
  })
})
