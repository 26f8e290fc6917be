import { describe, expect, test, vi } from 'vitest'
import { ada, openSource, program } from '../../../test/support/mcp-source.ts'

const deep = (place: string, levels: number) => openSource(program('deep-server', place, String(levels)))
const namesOf = ({ source }: ReturnType<typeof deep>) => source.tools().map(({ name }) => name)
const notRead = 'nested deeper than 2000 levels'

// Whatever is thrown where a message is read is nobody's to catch: vitest tells of it, and the worker would end.
describe('what is nested deeper than anybody can read', () => {
  test.each([1_400, 100_000])(
    'as a tool of %i levels is left out and told of, beside its neighbours',
    async (levels) => {
      const opened = deep('tool', levels)
      await opened.becomes('healthy')
      expect(namesOf(opened)).toEqual(['good'])
      expect(opened.source.health().error).toBe(
        '1 of its tools are none and were left out: nested (nested deeper than 500 levels)',
      )
      expect(await opened.text('good')).toBe('called')
    },
  )

  test('as a tool that can still be read is there, and told of by whoever defines it', async () => {
    const opened = deep('tool', 400)
    await opened.becomes('healthy')
    expect(namesOf(opened)).toEqual(['good', 'nested'])
    expect(opened.source.health().error).toBeNull()
  })

  test('in a message that nobody waits for is not read, and the call beside it is answered', async () => {
    await each(['stray', 'error', 'notification', 'progress', 'request'], 100_000, async (opened) => {
      await opened.becomes('healthy')
      expect(await opened.text('good')).toBe('called')
      const error = expect.stringContaining(notRead)
      expect(opened.source.health()).toMatchObject({ status: 'healthy', error })
    })
  })

  test('in a question is refused, so that whoever asks does not wait for ever', async () => {
    const opened = deep('request', 100_000)
    await opened.becomes('healthy')
    await opened.text('good')
    const isRefused = async () => expect(await opened.text('heard')).toContain('Nested deeper than 2000')
    await vi.waitFor(isRefused, { timeout: 20_000, interval: 20 })
  })

  test('in an answer fails its call, in words of ours', async () => {
    await each(['result', 'meta'], 100_000, async (opened) => {
      await opened.becomes('healthy')
      const { pid } = opened.source.health()
      await expect(opened.call('good')).rejects.toMatchObject({
        reason: 'source_failed',
        message: `under-test: Its answer is ${notRead}, which is not read`,
      })
      expect(opened.source.health()).toMatchObject({ status: 'healthy', pid })
    })
    await each(['resources', 'prompts'], 100_000, async (opened, kind) => {
      await opened.becomes('healthy')
      await expect(opened.source.request?.(ada, `${kind}/list`, {}, hands())).rejects.toThrow(notRead)
    })
  })

  test('in what is said at the beginning is why it is unhealthy', async () => {
    await each(['initialize', 'list'], 100_000, async (opened) => {
      await opened.becomes('unhealthy')
      expect(opened.source.health().error).toContain(notRead)
    })
    const readByUsAlone = deep('initialize', 1_900)
    await readByUsAlone.becomes('unhealthy')
    expect(readByUsAlone.source.health().error).toContain('nested too deep to be read')
  })

  test('begins beyond what all others can read', async () => {
    await each(['result', 'stray', 'request', 'resources', 'list'], 1_900, async (opened) => {
      await opened.becomes('healthy')
      expect(await opened.text('good')).toBe('called')
      await opened.source.request?.(ada, 'resources/list', {}, hands())
    })
  })
})

const hands = () => ({ signal: AbortSignal.timeout(15_000) })
type Look = (opened: ReturnType<typeof deep>, place: string) => Promise<void>
const each = (places: readonly string[], levels: number, look: Look) =>
  Promise.all(places.map((place) => look(deep(place, levels), place)))
