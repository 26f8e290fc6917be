import { expect, it } from 'vitest'
import { openWindows } from './windows.ts'
import type { Onlooker } from './windows.ts'

function onlooker(cols: number, rows: number, readOnly = false) {
  const known: unknown[] = []
  const one: Onlooker = { room: { cols, rows }, readOnly, know: (window) => void known.push(window) }
  return { one, known }
}

it('is as large as the smallest who types, whoever else looks', () => {
  const windows = openWindows()
  const [ada, bob, eve] = [onlooker(100, 30), onlooker(90, 40), onlooker(20, 5, true)]
  expect(windows.join('w', eve.one)).toEqual({ cols: 20, rows: 5, viewers: 1 })
  expect(windows.join('w', ada.one)).toEqual({ cols: 100, rows: 30, viewers: 2 })
  expect(windows.join('w', bob.one)).toEqual({ cols: 90, rows: 30, viewers: 3 })
  expect(eve.known.at(-1)).toEqual({ cols: 90, rows: 30, viewers: 3 })
  expect(windows.join('another', onlooker(1, 1).one)).toMatchObject({ viewers: 1 })
  windows.leave('w', bob.one)
  windows.leave('w', bob.one)
  expect(ada.known.at(-1)).toEqual({ cols: 100, rows: 30, viewers: 2 })
  windows.leave('w', ada.one)
  expect(eve.known.at(-1)).toEqual({ cols: 20, rows: 5, viewers: 1 })
  windows.leave('w', eve.one)
  expect(windows.count('w')).toBe(0)
})

it('tells many sizes in a row as one', async () => {
  const windows = openWindows()
  const ada = onlooker(100, 30)
  windows.join('w', ada.one)
  for (let count = 0; count < 1_000; count += 1) windows.resized('w')
  await expect.poll(() => ada.known).toHaveLength(1)
})
