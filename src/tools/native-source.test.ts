import { expect, test } from 'vitest'
import { agent, failureOf, native, noHands, owner, said } from './fixtures/registry.ts'
import { openNativeSource } from './native-source.ts'

const forAgents = native('mine', { isFor: ({ kind }) => kind === 'agent' })
const source = openNativeSource({
  name: 'board',
  description: 'The board',
  tools: [native('all'), forAgents],
})

test('tools of our own are there, and well', () => {
  expect(source.tools().map(({ name }) => name)).toEqual(['all', 'mine'])
  expect(source.health()).toMatchObject({ name: 'board', status: 'healthy', tools: 2 })
})

test('each is called by its name, by whom it is for', async () => {
  expect(await source.call(owner, 'all', {}, noHands())).toEqual(said('all'))
  expect(await source.call(agent, 'mine', {}, noHands())).toEqual(said('mine'))
  for (const name of ['mine', 'none', 'constructor'])
    expect(await failureOf(source.call(owner, name, {}, noHands()))).toMatchObject({
      reason: 'tool_not_found',
    })
})
