import { describe, expect, it } from 'vitest'
import { blocksOf, fenceAfter } from './blocks.ts'
import { inlineOf } from './inline.ts'

const text = (words: string) => ({ kind: 'text', text: words })
const paragraph = (words: string) => ({ kind: 'paragraph', text: words })

describe('blocks', () => {
  it('are told apart, line ends within a paragraph being kept', () => {
    expect(blocksOf('# Title\n\none\ntwo\n\n> said\n> more\n\n---\nend')).toEqual([
      { kind: 'heading', level: 1, text: 'Title' },
      paragraph('one\ntwo'),
      { kind: 'quote', blocks: [paragraph('said\nmore')] },
      { kind: 'line' },
      paragraph('end'),
    ])
  })

  it('of code are as they were written, also while their end is not there yet', () => {
    expect(blocksOf('```ts\nconst a = 1\n\n# no heading\n```\nafter')).toEqual([
      { kind: 'code', language: 'ts', text: 'const a = 1\n\n# no heading' },
      paragraph('after'),
    ])
    expect(blocksOf('~~~\nhalf')).toEqual([{ kind: 'code', language: '', text: 'half' }])
  })

  it('hold lists in lists, and what belongs to an item', () => {
    const list = blocksOf('3. one\n   more\n\n   ```\n   code\n   ```\n4. two\n   - in\n   - side\n\nafter')
    expect(list).toEqual([
      {
        kind: 'list',
        start: 3,
        items: [
          [paragraph('one\nmore'), { kind: 'code', language: '', text: 'code' }],
          [paragraph('two'), { kind: 'list', start: null, items: [[paragraph('in')], [paragraph('side')]] }],
        ],
      },
      paragraph('after'),
    ])
  })

  it('are tables where a line says so', () => {
    expect(blocksOf('| a | b |\n|---|:-:|\n| 1 | x\\|y |\n\n1 | 2')).toEqual([
      { kind: 'table', head: ['a', 'b'], rows: [['1', 'x|y']] },
      paragraph('1 | 2'),
    ])
  })

  it('go on in the code in which a long text was cut', () => {
    expect(fenceAfter('see\n```py\na = 1\n', '')).toBe('```py')
    expect(fenceAfter('b = 2\n```\ndone', '```py')).toBe('')
    expect(blocksOf('b = 2\n```\ndone', '```py')).toEqual([
      { kind: 'code', language: 'py', text: 'b = 2' },
      paragraph('done'),
    ])
  })
})

describe('a line', () => {
  it('has words that stand out', () => {
    expect(inlineOf('a **b *c*** `d*e*` ~~f~~ \\*g\\*')).toEqual([
      text('a '),
      { kind: 'strong', parts: [text('b '), { kind: 'emphasis', parts: [text('c')] }] },
      text(' '),
      { kind: 'code', text: 'd*e*' },
      text(' '),
      { kind: 'struck', parts: [text('f')] },
      text(' *g*'),
    ])
  })

  it('leaves names and sums alone', () => {
    for (const plain of [
      'snake_case_name',
      '2 * 3 * 4',
      'a ** b',
      '__init',
      '**not yet',
      '`open',
      '[x] done',
    ])
      expect(inlineOf(plain)).toEqual([text(plain)])
  })

  it('has links, written out or not', () => {
    expect(
      inlineOf('[see](https://a.example/x_(y)) https://b.example/z. ![pic](http://c.example/p.png)'),
    ).toEqual([
      { kind: 'link', address: 'https://a.example/x_(y)', parts: [text('see')] },
      text(' '),
      { kind: 'link', address: 'https://b.example/z', parts: [text('https://b.example/z')] },
      text('. '),
      { kind: 'link', address: 'http://c.example/p.png', parts: [text('pic')] },
    ])
  })
})

it.each(['`', '*', '**a', '[', '[a](', '_', '~~x ', '> ', '- ', '|-', '`` ` '])(
  'takes no time for %j again and again',
  (odd) => {
    const started = performance.now()
    const long = odd.repeat(Math.ceil(4000 / odd.length))
    const walk = (words: string) => inlineOf(words)
    for (const block of blocksOf(`${long}\n${long}`)) if (block.kind === 'paragraph') walk(block.text)
    walk(long)
    expect(performance.now() - started).toBeLessThan(1000)
  },
)
