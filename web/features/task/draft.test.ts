import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { keepDraft } from './draft-keeper.ts'

const shelf = new Map<string, string>()
const storage = {
  getItem: (key: string) => shelf.get(key) ?? null,
  setItem: (key: string, value: string) => void shelf.set(key, value),
  removeItem: (key: string) => void shelf.delete(key),
}
const clean = (text: string) => text.trim() || null

beforeEach(() => {
  vi.useFakeTimers()
  shelf.clear()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A server that takes texts when it is told to. */
function open(value = 'one') {
  const taken: string[] = []
  const answers: { ok: () => void; fail: () => void }[] = []
  const save = (text: string) =>
    new Promise<void>((resolve, reject) => {
      taken.push(text)
      answers.push({ ok: resolve, fail: () => reject(new Error('away')) })
    })
  const keeper = keepDraft({ place: 'here', storage, value, clean, save })
  const answer = async (how: 'ok' | 'fail' = 'ok') => {
    answers.shift()?.[how]()
    await vi.advanceTimersByTimeAsync(0)
  }
  return { keeper, taken, answer, now: () => keeper.state.get() }
}

describe('writing', () => {
  it('saves once, after the writing pauses', async () => {
    const { keeper, taken, answer, now } = open()
    keeper.write('one t')
    keeper.write('one two')
    expect(now().phase).toBe('unsaved')
    await vi.advanceTimersByTimeAsync(600)
    expect([taken, now().phase]).toEqual([['one two'], 'saving'])
    await answer()
    expect([now().phase, shelf.size]).toEqual(['saved', 0])
  })

  it('saves at once when the field is left', () => {
    const { keeper, taken } = open()
    keeper.write('two')
    keeper.flush()
    keeper.flush()
    expect(taken).toEqual(['two'])
  })

  it('does not save what the server would not take, and keeps it', async () => {
    const { keeper, taken, now } = open()
    keeper.write('  ')
    await vi.advanceTimersByTimeAsync(5000)
    expect([taken, now().phase, shelf.size]).toEqual([[], 'unsaved', 1])
  })

  it('goes on saving what is written during a save', async () => {
    const { keeper, taken, answer, now } = open()
    keeper.write('two')
    keeper.flush()
    keeper.write('two three')
    await answer()
    expect(now()).toMatchObject({ text: 'two three', base: 'two', phase: 'unsaved' })
    await vi.advanceTimersByTimeAsync(600)
    expect(taken).toEqual(['two', 'two three'])
  })

  it('tries again until the server has it', async () => {
    const { keeper, taken, answer, now } = open()
    keeper.write('two')
    keeper.flush()
    await answer('fail')
    expect(now()).toMatchObject({ phase: 'failed', problem: 'away', text: 'two' })
    expect(shelf.size).toBe(1)
    await vi.advanceTimersByTimeAsync(3000)
    await answer()
    expect([taken, now().phase, shelf.size]).toEqual([['two', 'two'], 'saved', 0])
  })
})

describe('a change by somebody else', () => {
  it('is shown at once while nothing is being written', () => {
    const { keeper, now } = open()
    keeper.hear('theirs')
    expect(now()).toMatchObject({ text: 'theirs', phase: 'saved', theirs: null })
  })

  it('is not our own echo, early or late', async () => {
    const { keeper, answer, now } = open()
    keeper.write('two')
    keeper.flush()
    keeper.write('two three')
    keeper.hear('two')
    expect(now()).toMatchObject({ text: 'two three', theirs: null })
    await answer()
    keeper.hear('two')
    expect(now()).toMatchObject({ text: 'two three', theirs: null })
  })

  it('stops the saving until a person has chosen', async () => {
    const { keeper, taken, now } = open()
    keeper.write('mine')
    keeper.hear('theirs')
    keeper.flush()
    await vi.advanceTimersByTimeAsync(5000)
    expect([taken, now().text, now().theirs]).toEqual([[], 'mine', 'theirs'])
    keeper.keepMine()
    await vi.advanceTimersByTimeAsync(600)
    expect(taken).toEqual(['mine'])
  })

  it('replaces ours when it is chosen', () => {
    const { keeper, now } = open()
    keeper.write('mine')
    keeper.hear('theirs')
    keeper.takeTheirs()
    expect(now()).toMatchObject({ text: 'theirs', phase: 'saved' })
    expect(shelf.size).toBe(0)
  })
})

describe('a text that was not saved when its page ended', () => {
  it('is there again, and saved', async () => {
    open().keeper.write('two')
    const { taken, now } = open()
    expect(now()).toMatchObject({ text: 'two', wasRestored: true })
    await vi.advanceTimersByTimeAsync(600)
    expect(taken).toEqual(['two'])
  })

  it('does not write over what others wrote since', async () => {
    open().keeper.write('two')
    const { taken, now } = open('theirs')
    await vi.advanceTimersByTimeAsync(600)
    expect(now()).toMatchObject({ text: 'two', theirs: 'theirs' })
    expect(taken).toEqual([])
  })
})
