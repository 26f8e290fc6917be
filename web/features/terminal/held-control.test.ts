import { expect, it } from 'vitest'
import { createStore } from '../../store.ts'
import { heldControl } from './held-control.ts'

it('holds Control for one key', () => {
  const held = createStore(false)
  const typed = heldControl(held)
  const pressed = (key: string) => {
    held.set(true)
    return [typed(key), typed('c')]
  }
  expect(typed('c')).toBe('c')
  expect(pressed('c')).toEqual(['\u0003', 'c'])
  expect(pressed('C')).toEqual(['\u0003', 'c'])
  expect(pressed('[')).toEqual(['\u001b', 'c'])
  expect(pressed(' ')).toEqual(['\u0000', 'c'])
  expect(pressed('1')).toEqual(['1', 'c'])
})
