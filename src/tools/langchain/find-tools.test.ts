import { expect, it } from 'vitest'
import { findTools } from './find-tools.ts'

const a = { name: 'a', invoke: () => 1 }
const b = { name: 'b', invoke: () => 2 }
const never = () => {
  throw new Error('nobody asked for this to be called')
}

it.each<[string, Record<string, unknown>]>([
  ['by themselves', { a, default: b }],
  ['in a list', { all: [a, b] }],
  ['in objects', { default: { first: a, more: { second: b } } }],
  ['promised', { all: Promise.resolve([a, Promise.resolve(b)]) }],
  ['by the default export', { default: async () => [a, b] }],
  ['by a function of that name', { getTools: () => [a, b] }],
  ['as a toolkit', { kit: { getTools: () => [a, b] } }],
  ['twice, as CommonJS has it', { default: { a, b }, a, b }],
])('finds tools %s', async (_, exported) => {
  expect(await findTools(exported)).toEqual([a, b])
})

it('calls no function that only happens to be exported', async () => {
  class Cleaner {
    readonly done = never()
  }
  expect(await findTools({ removeEverything: never, Cleaner, default: Cleaner, list: [never], a })).toEqual([
    a,
  ])
})

it('takes for a tool only what has a name and can be called', async () => {
  const others = [{ name: 'x' }, { invoke: never }, { name: '', invoke: never }, 5, null, undefined, 'a']
  expect(await findTools({ others })).toEqual([])
})

it('comes to an end in what contains itself', async () => {
  const round: Record<string, unknown> = { a }
  round['again'] = round
  expect(await findTools({ round })).toEqual([a])
})
