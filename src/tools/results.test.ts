import { describe, expect, test } from 'vitest'
import type { ToolResult } from '#contract/tool.ts'
import { agent, owner } from './fixtures/registry.ts'
import { openKeptResults } from './kept-results.ts'
import { CallFailed } from './port.ts'
import { bound, limitsFor, limitsOf } from './results.ts'

const limits = limitsFor.agent
const text = (words: string) => ({ type: 'text', text: words })
const keepNothing = () => {
  throw new Error('nothing was to be kept')
}
const bounded = (answer: ToolResult, keep: Parameters<typeof bound>[2] = keepNothing, hasSchema = false) =>
  bound(answer, limits, keep, hasSchema)
const structuredOf = (characters: number) => ({ rows: [{ cell: 'x'.repeat(characters) }] })

describe('an answer', () => {
  test('that is small is given as it is', () => {
    const answer: ToolResult = {
      content: [text('hello'), { type: 'image', data: 'aGk=', mimeType: 'image/png' }],
      structuredContent: { a: 1 },
      isError: true,
      _meta: { trace: 1 },
    }
    expect(bounded(answer)).toEqual({ result: answer, chars: 5, isCut: false })
  })

  test('of 4.3 million tokens is cut, and can be read to its end', () => {
    const kept = openKeptResults()
    const whole = 'word '.repeat(3_440_000)
    const before = process.threadCpuUsage()
    const { result, chars, isCut } = bounded({ content: [text(whole)] }, (texts) => kept.keep(agent, texts))
    expect(process.threadCpuUsage(before).user).toBeLessThan(500_000)
    expect([chars, isCut]).toEqual([17_200_000, true])
    expect(result.content[0]).toEqual(text(whole.slice(0, 100_000)))
    expect(result.content[1]?.['text']).toContain('17200000 characters, of which the first 100000 are given')
    const { _meta: meta } = result
    const rest = meta?.['signalbox/rest'] as { handle: string; offset: number }
    const pieces = [whole.slice(0, rest.offset)]
    for (let offset: number | null = rest.offset; offset !== null;) {
      const piece = kept.read(agent, rest.handle, offset)
      expect(piece.text.length).toBeLessThanOrEqual(100_000)
      pieces.push(piece.text)
      offset = piece.nextOffset
    }
    expect(pieces.join('') === whole).toBe(true)
    kept.close()
  })

  test('to a model in a chat is cut to the room that there is, and read on in pieces of that size', () => {
    const kept = openKeptResults()
    const inChat = { ...agent, inChat: { toolCallId: 'c', position: 1, total: 1, mostText: 3_000 } }
    expect(limitsOf(inChat).text).toBe(3_000)
    expect(limitsOf({ ...inChat, inCode: { runId: 'r', call: 1 } })).toEqual(limitsFor.code)
    const whole = 'word '.repeat(1_500)
    const keep = (texts: readonly string[]) => kept.keep(inChat, texts)
    const { result } = bound({ content: [text(whole)] }, limitsOf(inChat), keep, false)
    expect(result.content[0]).toEqual(text(whole.slice(0, 3_000)))
    const { _meta: meta } = result
    const rest = meta?.['signalbox/rest'] as { handle: string } | undefined
    const handle = rest?.handle ?? ''
    expect(result.content[1]?.['text']).toContain(`read_result with the handle ${handle} and the offset 3000`)
    expect(kept.read(inChat, handle, 3_000)).toMatchObject({ text: whole.slice(3_000, 6_000) })
    kept.close()
  })

  test('of many texts is cut in order, files among them', () => {
    const resource = { type: 'resource', resource: { uri: 'a:b', text: 'y'.repeat(80_000) } }
    const texts: string[][] = []
    const keep = (given: readonly string[]) => {
      texts.push([...given])
      return { handle: 'h', total: 200_000 }
    }
    const link = { type: 'resource_link', uri: 'c:d', name: 'd' }
    const { result } = bounded({ content: [text('x'.repeat(60_000)), resource, text('later'), link] }, keep)
    expect(result.content.slice(0, 3)).toEqual([
      text('x'.repeat(60_000)),
      { type: 'resource', resource: { uri: 'a:b', text: 'y'.repeat(40_000) } },
      link,
    ])
    expect(texts[0]?.map(({ length }) => length)).toEqual([60_000, 80_000, 5])
  })

  test('is never cut within a character', () => {
    const keep = () => ({ handle: 'h', total: 100_002 })
    const { result } = bounded({ content: [text(`${'x'.repeat(99_999)}😀`)] }, keep)
    expect(result.content[0]).toEqual(text('x'.repeat(99_999)))
    expect(result.content[1]?.['text']).toContain('the offset 99999')
  })

  test('whose image is too large says so in its place', () => {
    const image = { type: 'image', mimeType: 'image/png', data: 'A'.repeat(6 * 1024 * 1024) }
    const blob = { type: 'resource', resource: { uri: 'a:b', blob: 'A'.repeat(6 * 1024 * 1024) } }
    const { result } = bounded({ content: [image, blob, text('below it')] })
    expect(result.content.map((part) => part['text'])).toEqual([
      '[image/png of 4.5 MB was left out: 3.8 MB more can be given in one answer.]',
      '[resource of 4.5 MB was left out: 3.8 MB more can be given in one answer.]',
      'below it',
    ])
  })

  test('whose structured content is too large is given without it, as an error where a schema promised it', () => {
    const answer = { content: [text('rows')], structuredContent: structuredOf(200_000) }
    const { result, isCut } = bounded(answer)
    expect(result).toEqual({ content: [text('rows'), text(expect.stringContaining('was left out'))] })
    expect(isCut).toBe(true)
    expect(bounded(answer, keepNothing, true).result.isError).toBe(true)
  })

  test('that has nothing but structured content which is too large is given as text', () => {
    const { result } = bounded({ content: [], structuredContent: structuredOf(200_000) }, () => ({
      handle: 'h',
      total: 200_022,
    }))
    expect(result.content[0]?.['text']).toMatch(/^\{"rows":\[\{"cell":"x{99000}/)
  })

  test.each([
    ['no list', { content: 'hello' }],
    ['no pieces', { content: [null, 1, {}, { type: 7 }] }],
    ['nothing', {}],
  ])('with %s for its content has none', (_, answer) => {
    expect(bounded(answer as unknown as ToolResult).result).toEqual({ content: [] })
  })

  test('of too many pieces, or of pieces that are large in other ways, is bounded too', () => {
    const many = bounded({ content: Array.from({ length: 5_000 }, () => text('')) })
    expect(many.result.content).toHaveLength(1_001)
    const odd = { type: 'odd', inside: structuredOf(50_000) }
    const { result } = bounded({ content: [odd], _meta: { a: 'x'.repeat(50_000) } })
    expect(result).toEqual({ content: [text(expect.stringContaining('(odd) is too large'))] })
  })
})

describe('what is kept', () => {
  const refusal = (work: () => unknown) => {
    try {
      return work()
    } catch (error) {
      return error instanceof CallFailed ? error.message : error
    }
  }

  test('is for whoever it was meant for', () => {
    const kept = openKeptResults()
    const { handle } = kept.keep(agent, ['secret'])
    expect(kept.read(agent, handle, 0)).toEqual({ text: 'secret', nextOffset: null, total: 6 })
    for (const other of [{ ...agent, sessionId: 's2' }, owner])
      expect(refusal(() => kept.read(other, handle, 0))).toContain('nothing to read')
    kept.close()
  })

  test('is gone after a while', () => {
    let now = 0
    const kept = openKeptResults(() => now)
    const { handle } = kept.keep(agent, ['x'])
    now = 16 * 60_000
    expect(refusal(() => kept.read(agent, handle, 0))).toContain('nothing to read')
    kept.close()
  })

  test('is bounded for each, and for all: the oldest goes first', () => {
    const kept = openKeptResults()
    const large = 'x'.repeat(20 * 1024 * 1024)
    const [first, second] = [kept.keep(agent, [large]), kept.keep(agent, [large])]
    expect(refusal(() => kept.read(agent, first.handle, 0))).toContain('nothing to read')
    expect(kept.read(agent, second.handle, 0).total).toBe(large.length)
    for (const id of ['a', 'b', 'c', 'd']) kept.keep({ ...owner, id }, [large])
    expect(refusal(() => kept.read(agent, second.handle, 0))).toContain('nothing to read')
    expect(kept.keep(owner, [large, large]).total).toBe(32 * 1024 * 1024)
    kept.close()
  })

  test.each([-1, 1.5, 7, Number.NaN])('is not read from %d', (offset) => {
    const kept = openKeptResults()
    const { handle } = kept.keep(agent, ['123', '456'])
    expect(refusal(() => kept.read(agent, handle, offset))).toContain('from 0 to 6')
    expect(kept.read(agent, handle, 2).text).toBe('3456')
    kept.close()
  })
})
