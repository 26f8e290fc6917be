import { expect, inject, it } from 'vitest'
import { openModule } from '../support/langchain-source.ts'

// Tools made with LangChain itself, as somebody would write them beside its node_modules.
const folder = inject('outsideTools')
const text = (words: string) => ({ content: [{ type: 'text', text: words }] })
const imports = `
  import { DynamicStructuredTool, DynamicTool, StructuredTool, BaseToolkit, tool } from '@langchain/core/tools'
  import { z } from 'zod'
  import { z as z3 } from 'zod/v3'
`

it('serves tools of LangChain, however they are made', async () => {
  const { source, call, isHealthy } = await openModule(
    `${imports}
    export const add = tool(({ a, b }) => String(a + b), {
      name: 'add', description: 'Adds', schema: z.object({ a: z.number(), b: z.number().describe('The other') }),
    })
    export const old = new DynamicStructuredTool({
      name: 'old', description: 'With zod 3', schema: z3.object({ city: z3.string(), days: z3.number().int().optional() }),
      func: async ({ city, days }) => ({ city, days: days ?? 1 }),
    })
    export const plain = tool(({ word }) => word.toUpperCase(), {
      name: 'plain', description: 'With JSON Schema',
      schema: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
    })
    export const echo = new DynamicTool({ name: 'echo', description: 'One text', func: async (input) => 'You said ' + input })
    class Clock extends StructuredTool {
      name = 'clock'
      description = 'Tells a time'
      schema = z.object({ type: z.string() })
      async _call({ type }) { return [{ type: 'text', text: 'at ' + type }] }
    }
    export const clock = new Clock()
    export const chart = tool(async () => ['Two points', { points: [1, 2] }], {
      name: 'chart', description: 'With an artifact', schema: z.object({}), responseFormat: 'content_and_artifact',
    })
    export const broken = tool(() => { throw new Error('The disk is full') }, { name: 'broken', description: 'Fails', schema: z.object({}) })
    class Kit extends BaseToolkit {
      tools = [tool(() => 'from the kit', { name: 'kitted', description: 'In a kit', schema: z.object({}) })]
    }
    export const kit = new Kit()
    `,
    { folder },
  )
  await isHealthy()
  const schemas = new Map(source.tools().map((tool) => [tool.name, tool.inputSchema]))
  expect([...schemas.keys()]).toEqual(['add', 'broken', 'chart', 'clock', 'echo', 'kitted', 'old', 'plain'])
  expect(schemas.get('add')).toMatchObject({
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number', description: 'The other' } },
    required: ['a', 'b'],
  })
  expect(schemas.get('old')).toMatchObject({
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer' } },
    required: ['city'],
  })
  expect(schemas.get('plain')).toMatchObject({ properties: { word: { type: 'string' } }, required: ['word'] })
  expect(schemas.get('echo')).toMatchObject({ properties: { input: { type: 'string' } } })

  expect(await call('add', { a: 2, b: 3 })).toMatchObject(text('5'))
  expect(await call('old', { city: 'Oslo' })).toMatchObject({ structuredContent: { city: 'Oslo', days: 1 } })
  expect(await call('plain', { word: 'loud' })).toMatchObject(text('LOUD'))
  expect(await call('echo', { input: 'hello' })).toMatchObject(text('You said hello'))
  expect(await call('kitted')).toMatchObject(text('from the kit'))
  expect(await call('chart')).toMatchObject({ ...text('Two points'), structuredContent: { points: [1, 2] } })
  expect(await call('broken')).toMatchObject({ isError: true, ...text('The disk is full') })
  // An argument that LangChain would take for a call of its own.
  expect(await call('clock', { type: 'tool_call' })).toMatchObject(text('at tool_call'))
  const misfit = await call('add', { a: 'two', b: 3 })
  expect([misfit.isError, misfit.content[0]!['text']]).toEqual([true, expect.stringMatching(/schema/i)])
})
