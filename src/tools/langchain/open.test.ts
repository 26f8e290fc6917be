import { expect, it } from 'vitest'
import { openModule } from '../../../test/support/langchain-source.ts'

const tool = (name: string, invoke: string, more = '') =>
  `{ name: '${name}', description: 'Does ${name}', ${more} invoke: ${invoke} }`
const text = (words: string) => ({ content: [{ type: 'text', text: words }] })

it('offers what a module exports, and calls it', async () => {
  const { source, call, isHealthy } = await openModule(`
    const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
    export const greet = ${tool('greet', '({ name }) => `Hello ${name}`', 'schema,')}
    export const facts = ${tool('facts', 'async () => ({ wheels: 4, parts: [1, 2] })')}
    export const list = ${tool('list', '() => [1, 2]')}
    export const nothing = ${tool('nothing', '() => undefined')}
    export const fails = ${tool('fails', "() => { throw new Error('No road there') }")}
    export const loops = ${tool('loops', '() => { const it = {}; it.it = it; return it }')}
  `)
  await isHealthy()
  expect(source.tools().map(({ name }) => name)).toEqual([
    'facts',
    'fails',
    'greet',
    'list',
    'loops',
    'nothing',
  ])
  expect(source.tools()[2]).toMatchObject({
    description: 'Does greet',
    inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  })
  expect(await call('greet', { name: 'Ada' })).toMatchObject(text('Hello Ada'))
  expect(await call('facts')).toMatchObject({
    ...text('{"wheels":4,"parts":[1,2]}'),
    structuredContent: { wheels: 4, parts: [1, 2] },
  })
  expect(await call('list')).toMatchObject(text('[1,2]'))
  expect((await call('nothing')).content).toEqual([])
  expect(await call('fails')).toMatchObject({ isError: true, ...text('No road there') })
  expect((await call('loops')).content[0]!['text']).toContain('[Circular')
})

it('is not disturbed by what a module prints, or leaves running', async () => {
  const { source, call, isHealthy } = await openModule(`
    console.log('{"jsonrpc":"2.0","id":1,"result":{}}')
    process.stdout.write('ready\\n')
    setInterval(() => console.log('still here'), 5)
    export default ${tool('say', "() => { console.log('in the middle'); return 'said' }")}
  `)
  await isHealthy()
  expect(await call('say')).toMatchObject(text('said'))
  expect(source.health().error).toBeNull()
})

it('finds tools in a module of CommonJS, and in TypeScript', async () => {
  const old = await openModule(`module.exports = { a: ${tool('a', '() => 1')} }`, { name: 'tools.cjs' })
  const typed = await openModule(`export const a: object = ${tool('a', '(): number => 1')}`, {
    name: 'tools.mts',
  })
  await Promise.all([old.isHealthy(), typed.isHealthy()])
  expect([await old.call('a'), await typed.call('a')]).toMatchObject([text('1'), text('1')])
})

it.each([
  ['throws', "throw new Error('no licence')", /could not be loaded: no licence/],
  ['exports no tools', 'export const a = 1', /exports no tools/],
  [
    'breaks later',
    `setTimeout(() => { throw new Error('too late') }, 300); export default ${tool('a', '() => 1')}`,
    /broke: too late/,
  ],
])('tells in health that a module %s', async (_, module, why) => {
  const { isUnhealthy } = await openModule(module)
  const told = await isUnhealthy()
  expect(told).toMatch(why)
  expect(told).not.toContain('    at ')
})

it('does not wait for ever for a module to load', async () => {
  const { isUnhealthy } = await openModule('await new Promise(() => {})', { longestLoadMs: 300 })
  expect(await isUnhealthy()).toMatch(/did not load within 0.3 seconds/)
})

it('lets a tool know that its call was given up', async () => {
  const { call, isHealthy } = await openModule(`
    let heard = false
    export const wait = ${tool('wait', '(_, { signal }) => new Promise((done) => signal.addEventListener("abort", () => { heard = true; done() }))')}
    export const ask = ${tool('ask', '() => String(heard)')}
  `)
  await isHealthy()
  const giving = new AbortController()
  const waiting = call('wait', {}, giving.signal)
  expect(await call('ask')).toMatchObject(text('false'))
  giving.abort()
  await expect(waiting).rejects.toMatchObject({ reason: 'cancelled' })
  await expect.poll(async () => (await call('ask')).content[0]!['text'], { timeout: 20_000 }).toBe('true')
})
