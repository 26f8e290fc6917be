import { afterEach, describe, expect, it } from 'vitest'
import { openEndpointHere, owner, user } from '../../test/support/mcp-endpoint.ts'
import type { EndpointHere } from '../../test/support/mcp-endpoint.ts'
import { ApiWriter } from '#codemode/api/api.ts'
import type { CallHands, Caller, NativeTool } from '#tools/port.ts'
import { codeTools } from '#worker/code/run-code-tool.ts'
import type { MachineCode } from '#worker/code/machine-code.ts'

let here: EndpointHere
afterEach(() => here?.close())

const tool = (name: string, more: Partial<NativeTool> = {}): NativeTool => ({
  name,
  description: `Does ${name}`,
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  run: async (_, { text }) => ({ content: [{ type: 'text', text: `${name} ${String(text)}` }] }),
  ...more,
})

/** The endpoint with many tools. What code is run is told back. */
function open(more: { codeNames?: (caller: Caller) => Promise<never> } = {}): EndpointHere {
  const writer = new ApiWriter()
  const metrics = { executionTime: 1, memoryUsed: 1, cpuTime: 1, apiCalls: 0 }
  const machine: Partial<MachineCode> = {
    execute: async (by, { code }) => ({
      result: { success: true, result: `${by.id} ran ${code}`, logs: ['one'], metrics, requestId: 'r' },
    }),
  }
  const inCode = { runId: '', call: 0 }
  return openEndpointHere(
    {
      board: [tool('list_tasks')],
      code: codeTools({
        openWishes: async () => [],
        hasEnded: async () => false,
        code: async () => machine as MachineCode,
      }).tools,
      sheep: [tool('shear-sheep'), ...Array.from({ length: 80 }, (_, at) => tool(`tool_${at}`))],
    },
    { codeNames: async (caller) => writer.api(here.registry.list({ ...caller, inCode })), ...more },
  )
}

const textOf = (result: object) => (result as { content: { text: string }[] }).content[0]?.text ?? ''
const eras = ['2025-11-25', '2026-07-28'] as const

describe.each(eras)('a client of %s that calls tools by code', (era) => {
  const byCode = { era, path: '/mcp?tools=code' }

  it('has three tools and no more, whatever else there is', async () => {
    here = open()
    const client = await here.client(byCode)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['search_tools', 'describe_tool', 'run_code'])
    expect(client.getInstructions()).toContain('82 tools are called by code')
    expect(tools.at(-1)?.description).toContain('mcp.<namespace>.<tool>')
  })

  it('finds a tool with the words that code calls it by, reads its types by them, and runs code', async () => {
    here = open()
    const client = await here.client(byCode)
    const found = await client.callTool({ name: 'search_tools', arguments: { query: 'shear', limit: 1 } })
    const [{ code, name }] = (found.structuredContent as { tools: { code: string; name: string }[] })
      .tools as [{ code: string; name: string }]
    expect([name, code]).toEqual(['sheep__shear-sheep', 'mcp.sheep.shearSheep'])
    const told = await client.callTool({ name: 'describe_tool', arguments: { name: code } })
    expect(textOf(told)).toMatch(/^\/\/ mcp\.sheep\.shearSheep\n[^]*shearSheep\(args: \{ text: string \}\)/)
    expect(told.structuredContent).not.toHaveProperty('inputSchema')
    const ran = await client.callTool({ name: 'run_code', arguments: { code: 'return 1' } })
    expect(ran.structuredContent).toEqual({ result: 'owner ran return 1', logs: ['one'] })
    expect(JSON.parse(textOf(ran))).toEqual(ran.structuredContent)
  })
})

describe('the other lists', () => {
  it('have it too', async () => {
    here = open()
    for (const path of ['/mcp', '/mcp?tools=all', '/mcp?tools=search']) {
      const client = await here.client({ path })
      const names = (await client.listTools()).tools.map(({ name }) => name)
      expect(names.filter((name) => name === 'run_code')).toHaveLength(1)
      expect(names).toContain('call_tool')
      expect(client.getInstructions()).toContain('run_code runs code that calls tools')
    }
  })

  it('tell a tool as TypeScript and as a schema, or as one of them', async () => {
    here = open()
    const client = await here.client()
    const describe = async (format?: string) => {
      const args = { name: 'sheep__shear-sheep', ...(format && { format }) }
      const { structuredContent } = await client.callTool({ name: 'describe_tool', arguments: args })
      return structuredContent as Record<string, unknown>
    }
    const both = { inputSchema: expect.anything(), declaration: expect.stringContaining('shearSheep(') }
    expect(await describe()).toMatchObject(both)
    expect(await describe('both')).toMatchObject(both)
    expect(await describe('schema')).not.toHaveProperty('declaration')
    expect(await describe('typescript')).not.toHaveProperty('inputSchema')
  })

  it('call a tool by the words that code writes', async () => {
    here = open()
    const client = await here.client()
    for (const name of ['mcp.sheep.shearSheep', 'sheep.shearSheep', 'sheep.shear-sheep']) {
      const called = await client.callTool({
        name: 'call_tool',
        arguments: { name, arguments: { text: 'a' } },
      })
      expect(textOf(called)).toBe('shear-sheep a')
    }
    const missing = { name: 'call_tool', arguments: { name: 'mcp.sheep.fly', arguments: {} } }
    expect(await client.callTool(missing)).toMatchObject({ isError: true })
  })

  it('tell tools without these words while code cannot run', async () => {
    here = open({ codeNames: () => Promise.reject(new Error('no memory')) })
    const client = await here.client()
    const found = await client.callTool({ name: 'search_tools', arguments: { query: 'shear', limit: 1 } })
    expect(JSON.parse(textOf(found)).tools[0]).toEqual({
      name: 'sheep__shear-sheep',
      description: 'Does shear-sheep',
      source: 'sheep',
    })
    const told = await client.callTool({ name: 'describe_tool', arguments: { name: 'sheep__shear-sheep' } })
    expect(told.structuredContent).toHaveProperty('inputSchema')
  })
})

describe('who may not run code', () => {
  const plain = user('1', ['board', 'tools'])

  it('does not see it, cannot call it, and has the list to search in', async () => {
    here = open()
    const client = await here.client({ as: plain, path: '/mcp?tools=code' })
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'list_tasks',
      'search_tools',
      'describe_tool',
      'call_tool',
      'read_result',
    ])
    expect(JSON.stringify(tools) + client.getInstructions()).not.toContain('run_code')
    const found = await client.callTool({ name: 'search_tools', arguments: { query: 'shear', limit: 1 } })
    expect(JSON.parse(textOf(found)).tools[0]).not.toHaveProperty('code')
    await expect(client.callTool({ name: 'run_code', arguments: { code: 'return 1' } })).rejects.toThrow(
      'Unknown tool: run_code',
    )
  })

  it('is code itself', async () => {
    here = open()
    const caller: Caller = { kind: 'person', id: owner.id, isOwner: true, inCode: { runId: '1', call: 1 } }
    const hands: CallHands = { signal: new AbortController().signal }
    expect(here.registry.find(caller, 'run_code')).toBeUndefined()
    await expect(here.registry.call(caller, 'run_code', { code: 'return 1' }, hands)).rejects.toMatchObject({
      reason: 'tool_not_found',
    })
  })

  it('is whoever has nothing but the board', async () => {
    here = open()
    const client = await here.client({ as: user('1', ['board', 'code']), path: '/mcp?tools=code' })
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['list_tasks'])
    await expect(client.callTool({ name: 'run_code', arguments: { code: 'return 1' } })).rejects.toThrow(
      'Unknown tool',
    )
  })
})
