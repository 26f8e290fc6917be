import { afterEach, expect, test } from 'vitest'
import { offered, openOnce, owner, scriptedSource, settings } from '#tools/fixtures/registry.ts'
import { isRepeatable } from './repeatable.ts'

const { registryWith, closeAll } = openOnce()
afterEach(closeAll)

function open() {
  const { registry } = registryWith()
  const tools = [
    offered('read', { annotations: { readOnlyHint: true } }),
    offered('put', { annotations: { idempotentHint: true } }),
    offered('add'),
  ]
  registry.put(scriptedSource('box', tools).source, settings())
  const toolOf = async (name: string) => {
    if (name === 'box.late') throw new Error('It is not there yet')
    return name
  }
  return (kind: string, name: string, ...input: unknown[]) =>
    isRepeatable({ call: 1, kind, name, input }, { registry, caller: owner, toolOf })
}

test('a tool is called again when it says that this does no harm', async () => {
  const isAgain = open()
  expect(await isAgain('mcp', 'box.read')).toBe(true)
  expect(await isAgain('mcp', 'box.put')).toBe(true)
  for (const name of ['box.add', 'box.gone', 'box.late']) expect(await isAgain('mcp', name)).toBe(false)
})

// As the sandbox hands it over: one object, which says all.
test.each([
  ['GET', true],
  ['get', true],
  ['HEAD', true],
  ['POST', false],
  ['DELETE', false],
  [undefined, false],
])('a request by %s is made again: %s', async (method, isMadeAgain) => {
  const asked = { url: 'https://example.com', method, headers: {} }
  expect(await open()('network', 'fetch', asked)).toBe(isMadeAgain)
})

test('files are read and written again', async () => {
  expect(await open()('files', 'write', 'a', 'b')).toBe(true)
})
