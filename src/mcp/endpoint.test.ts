import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { openEndpointHere, owner, user } from '../../test/support/mcp-endpoint.ts'
import type { ClientHere, EndpointHere } from '../../test/support/mcp-endpoint.ts'
import type { CallHands, Caller, NativeTool } from '#tools/port.ts'
import type { McpEndpointNeeds } from './endpoint.ts'

type AskInstead = NonNullable<McpEndpointNeeds['askInstead']>

let here: EndpointHere
afterEach(() => here?.close())

const textOf = (result: object) => (result as { content: { text: string }[] }).content[0]?.text

const tool = (
  name: string,
  run: (args: Record<string, unknown>, hands: CallHands) => Promise<object> | object = () => ({}),
  more: Partial<NativeTool> = {},
): NativeTool => ({
  name,
  description: `Does ${name}`,
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  run: async (_caller, args, hands) => ({
    content: [{ type: 'text', text: 'done' }],
    ...(await run(args, hands)),
  }),
  ...more,
})

const form = {
  type: 'object',
  properties: { name: { type: 'string' } },
  required: ['name'],
} as const

const asking = tool('greet', async (_args, { ask }) => {
  const request = { method: 'elicitation/create', params: { message: 'Who?', requestedSchema: form } }
  const answers = await ask?.({ who: request })
  return { content: [{ type: 'text', text: JSON.stringify(answers?.['who']) }] }
})

/** The client of the newer protocol only sees that nobody speaks it there. */
const nothing = /There is no source|did not offer/

const eras = ['2025-11-25', '2026-07-28'] as const

describe.each(eras)('a client of %s', (era) => {
  it('sees the board by plain names, sources by their wire names, and what finds them', async () => {
    here = openEndpointHere({ board: [tool('list_tasks')], files: [tool('read')] })
    const client = await here.client({ era })
    const names = (await client.listTools()).tools.map(({ name }) => name)
    expect(names).toEqual([
      'list_tasks',
      'files__read',
      'search_tools',
      'describe_tool',
      'call_tool',
      'read_result',
    ])
    expect(client.getInstructions()).toContain('board of tasks')
  })

  it('calls a tool, also one that it has only heard of', async () => {
    here = openEndpointHere({
      files: [tool('read', ({ text }) => ({ content: [{ type: 'text', text: `read ${String(text)}` }] }))],
    })
    const client = await here.client({ era })
    const args = { text: 'a' }
    expect(textOf(await client.callTool({ name: 'files__read', arguments: args }))).toBe('read a')
    const byName = { name: 'call_tool', arguments: { name: 'files.read', arguments: args } }
    expect(textOf(await client.callTool(byName))).toBe('read a')
  })

  it('is told of many tools that there are many, and finds them', async () => {
    const many = Array.from({ length: 80 }, (_, index) => tool(`tool_${index}`))
    here = openEndpointHere({ board: [tool('list_tasks')], files: [...many, tool('shear_sheep')] })
    const client = await here.client({ era })
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'list_tasks',
      'search_tools',
      'describe_tool',
      'call_tool',
      'read_result',
    ])
    expect(client.getInstructions()).toContain('82 tools, too many to list')
    const found = await client.callTool({ name: 'search_tools', arguments: { query: 'shear sheep' } })
    expect(found.structuredContent).toMatchObject({
      tools: [{ name: 'files__shear_sheep', source: 'files' }],
    })
    const all = await here.client({ era, path: '/mcp?tools=all' })
    expect((await all.listTools()).tools).toHaveLength(86)
  })

  it('is told which argument does not fit, and that an unknown tool is an error of the protocol', async () => {
    here = openEndpointHere({ files: [tool('read')] })
    const client = await here.client({ era })
    const bad = await client.callTool({ name: 'files__read', arguments: { text: 7 } })
    expect(bad.isError).toBe(true)
    expect(textOf(bad)).toContain('text')
    await expect(client.callTool({ name: 'files__burn' })).rejects.toMatchObject({ code: -32_602 })
    const missing = await client.callTool({ name: 'call_tool', arguments: { name: 'files.burn' } })
    expect(textOf(missing)).toContain('search_tools')
  })

  it('answers what a tool asks meanwhile', async () => {
    here = openEndpointHere({ people: [asking] })
    const client = await here.client({ era, capabilities: { elicitation: {} } })
    client.setRequestHandler('elicitation/create', async () => ({
      action: 'accept',
      content: { name: 'Ada' },
    }))
    const result = await client.callTool({ name: 'people__greet' })
    expect(JSON.parse(textOf(result) ?? '')).toMatchObject({ action: 'accept', content: { name: 'Ada' } })
  })

  it('hears of progress', async () => {
    const slow = tool('slow', (_args, { onProgress }) => {
      onProgress?.({ progress: 1, total: 2, message: 'half' })
      return {}
    })
    here = openEndpointHere({ files: [slow] })
    const client = await here.client({ era })
    const heard: object[] = []
    await client.callTool({ name: 'files__slow' }, { onprogress: (progress) => void heard.push(progress) })
    expect(heard).toEqual([{ progress: 1, total: 2, message: 'half' }])
  })

  it('ends the call by cancelling it', async () => {
    let ended: AbortSignal | undefined
    const endless = tool('endless', (_args, { signal }) => {
      ended = signal
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error))
      })
    })
    here = openEndpointHere({ files: [endless] })
    const client = await here.client({ era })
    const giveUp = new AbortController()
    const call = client.callTool({ name: 'files__endless' }, { signal: giveUp.signal })
    call.catch(() => undefined)
    await vi.waitFor(() => expect(ended).toBeDefined(), 20_000)
    giveUp.abort()
    await vi.waitFor(() => expect(ended?.aborted).toBe(true), 20_000)
    await expect(call).rejects.toThrow('abort')
  })

  it('is told that the tools have changed', async () => {
    here = openEndpointHere({ files: [tool('read')] })
    let told = 0
    const client = await here.client({ era })
    client.setNotificationHandler('notifications/tools/list_changed', () => void told++)
    if (era === '2026-07-28') await client.listen({ toolsListChanged: true })
    const { openNativeSource } = await import('#tools/native-source.ts')
    const late = () => here.put(openNativeSource({ name: 'late', description: '', tools: [tool('bloom')] }))
    late()
    await vi.waitFor(() => expect(told).toBeGreaterThan(0), 20_000)
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('late__bloom')
  })

  it('gets the board alone with the scope for the board alone', async () => {
    here = openEndpointHere({ board: [tool('list_tasks')], files: [tool('read')] })
    const client = await here.client({ era, as: user('u1', ['board']) })
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['list_tasks'])
    await expect(client.callTool({ name: 'files__read' })).rejects.toMatchObject({ code: -32_602 })
    await expect(client.callTool({ name: 'search_tools', arguments: { query: 'read' } })).rejects.toThrow(
      'Unknown tool: search_tools',
    )
    await expect(here.client({ era, as: user('u1', ['board']), path: '/mcp/raw/files' })).rejects.toThrow(
      nothing,
    )
  })

  it('gets one source by its own names', async () => {
    here = openEndpointHere({ files: [tool('read')], other: [tool('read')] })
    const client = await here.client({ era, path: '/mcp/raw/files' })
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['read', 'read_result'])
    expect(textOf(await client.callTool({ name: 'read' }))).toBe('done')
    await expect(here.client({ era, path: '/mcp/raw/nowhere' })).rejects.toThrow(nothing)
  })

  it.each(['/mcp', '/mcp/raw/files'])('reads on in what was cut at %s', async (path) => {
    const long = 'x'.repeat(11 * 1024 * 1024)
    here = openEndpointHere({ files: [tool('read', () => ({ content: [{ type: 'text', text: long }] }))] })
    const client = await here.client({ era, path })
    const { _meta: meta } = await client.callTool({ name: path === '/mcp' ? 'files__read' : 'read' })
    const { handle, offset } = z
      .object({ handle: z.string(), offset: z.int() })
      .parse(meta?.['signalbox/rest'])
    const rest = await client.callTool({ name: 'read_result', arguments: { handle, offset } })
    expect(textOf(rest)).toHaveLength(1_000_000)
  })

  it('leaves a source its own tool that is called like ours', async () => {
    here = openEndpointHere({ files: [tool('read_result')] })
    const client = await here.client({ era, path: '/mcp/raw/files' })
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['read_result'])
    expect(textOf(await client.callTool({ name: 'read_result' }))).toBe('done')
  })

  it('is told why nothing can be done in its name', async () => {
    const refusal = Object.assign(new Error('Nothing is under way'), { code: 'no_live_execution' })
    let isLive = true
    const callerOf = () => {
      if (!isLive) throw refusal
      return { kind: 'person', id: 'u1', name: 'u1', isOwner: false, scopes: [] } as const
    }
    here = openEndpointHere({ files: [tool('read')] }, { callerOf })
    const client = await here.client({ era })
    isLive = false
    await expect(client.callTool({ name: 'files__read' })).rejects.toThrow('Nothing is under way')
    isLive = true
    expect(textOf(await client.callTool({ name: 'files__read' }))).toBe('done')
  })

  it('that cannot be asked leaves the question to somebody else', async () => {
    const askInstead = vi.fn<AskInstead>(async () => ({
      who: { action: 'decline' },
    }))
    const callerOf = (): Caller => ({
      kind: 'agent',
      id: 'agent:a1',
      agentId: 'a1',
      agentName: 'Claude',
      allowedTools: [],
      sessionId: 's1',
      executionId: 'e1',
      onBehalfOf: 'owner',
    })
    here = openEndpointHere({ people: [asking] }, { askInstead, callerOf })
    const client = await here.client({ era })
    const result = await client.callTool({ name: 'people__greet' })
    expect(JSON.parse(textOf(result) ?? '')).toEqual({ action: 'decline' })
    expect(askInstead.mock.calls).toHaveLength(1)
    expect(askInstead.mock.calls[0]?.[1].by).toEqual({ source: 'people', doing: 'people.greet' })
  })
})

describe('what waits for an answer', () => {
  const can: ClientHere = { capabilities: { elicitation: {} } }
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
  }
  const send = async (params: object, as = owner, path = '/mcp') => {
    const request = new Request(`http://signalbox.test${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': (params as { name: string }).name,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { ...params, _meta: meta },
      }),
    })
    return (await (await here.ask(request, as)).json()) as Answer
  }
  interface Answer {
    result?: { requestState: string; inputRequests: object; content?: { text: string }[] }
    error?: { code: number }
  }
  const inputResponses = { who: { action: 'accept', content: { name: 'Ada' } } }

  async function paused() {
    here = openEndpointHere({ people: [asking, { ...asking, name: 'greet_too' }] })
    const { result } = await send({ name: 'people__greet' })
    return result?.requestState ?? ''
  }

  it('goes on once', async () => {
    const requestState = await paused()
    const again = () => send({ name: 'people__greet', requestState, inputResponses })
    expect((await again()).result?.content?.[0]?.text).toContain('Ada')
    expect((await again()).error?.code).toBe(-32_602)
  })

  it('goes on for nobody else, with nothing else, and with no state that was touched', async () => {
    const requestState = await paused()
    const wrong = [
      await send({ name: 'people__greet', requestState, inputResponses }, user('u1')),
      await send({ name: 'people__greet_too', requestState, inputResponses }),
      await send({ name: 'greet', requestState, inputResponses }, owner, '/mcp/raw/people'),
      await send({ name: 'people__greet', requestState: `${requestState.slice(0, -4)}AAAA`, inputResponses }),
      await send({ name: 'people__greet', requestState: 'made-up', inputResponses }),
    ]
    expect(wrong.map(({ error }) => error?.code)).toEqual(wrong.map(() => -32_602))
    const right = await send({ name: 'people__greet', requestState, inputResponses })
    expect(right.result?.content?.[0]?.text).toContain('Ada')
  })

  it('is asked for again when the answer has nothing to do with it', async () => {
    const requestState = await paused()
    const answer = await send({ name: 'people__greet', requestState, inputResponses: { other: {} } })
    expect(answer.result?.inputRequests).toMatchObject({ who: { method: 'elicitation/create' } })
    expect(answer.result?.requestState).not.toBe(requestState)
  })

  it('is ended when nobody answers in time, and the tool is told', async () => {
    let signal: AbortSignal | undefined
    const greet: NativeTool = {
      ...asking,
      run: (...given) => ((signal = given[2].signal), asking.run(...given)),
    }
    here = openEndpointHere({ people: [greet] }, { limits: { paused: { lifeMs: 10 } } })
    const { result } = await send({ name: 'people__greet' })
    await vi.waitFor(() => expect(signal?.aborted).toBe(true), 20_000)
    const late = await send({ name: 'people__greet', requestState: result?.requestState, inputResponses })
    expect(late.error?.code).toBe(-32_602)
  })

  it('is refused when too much waits', async () => {
    here = openEndpointHere({ people: [asking] }, { limits: { paused: { mostOfOne: 1 } } })
    expect((await send({ name: 'people__greet' })).result?.requestState).toBeDefined()
    expect((await send({ name: 'people__greet' })).error?.code).toBe(-32_000)
    const other = await send({ name: 'people__greet' }, user('u1'))
    expect(other.result?.requestState).toBeDefined()
  })

  it('is an error of the protocol for a client that cannot be asked', async () => {
    here = openEndpointHere({ people: [asking] })
    const client = await here.client({ ...can, capabilities: {} })
    await expect(client.callTool({ name: 'people__greet' })).rejects.toMatchObject({ code: -32_021 })
  })
})

describe('a session of the older protocol', () => {
  const post = (body: object, as = owner, id?: string) =>
    here.ask(
      new Request('http://signalbox.test/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(id !== undefined && { 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
      }),
      as,
    )
  const clientInfo = { name: 'test', version: '1' }
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  const begin = async (as = owner) => {
    const answer = await post({ method: 'initialize', params: hello }, as)
    await answer.text()
    return { status: answer.status, id: answer.headers.get('mcp-session-id') ?? '' }
  }
  const statusOf = async (answer: Response) => {
    await answer.text()
    return answer.status
  }

  it('does not exist for anybody else', async () => {
    here = openEndpointHere({ files: [tool('read')] })
    const { id } = await begin()
    expect(await statusOf(await post({ method: 'tools/list' }, user('u1'), id))).toBe(404)
    expect(await statusOf(await post({ method: 'tools/list' }, owner, id))).toBe(200)
  })

  it('ends when the client says so', async () => {
    here = openEndpointHere({ files: [tool('read')] })
    const { id } = await begin()
    const goodbye = new Request('http://signalbox.test/mcp', {
      method: 'DELETE',
      headers: { 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' },
    })
    expect(await statusOf(await here.ask(goodbye))).toBe(200)
    expect(await statusOf(await post({ method: 'tools/list' }, owner, id))).toBe(404)
  })

  it('makes room for the next when there are too many, and never for that of another', async () => {
    here = openEndpointHere({ files: [tool('read')] }, { limits: { sessions: { mostOfOne: 2 } } })
    const theirs = await begin(user('u1'))
    const first = await begin()
    const second = await begin()
    const third = await begin()
    expect(await statusOf(await post({ method: 'tools/list' }, owner, first.id))).toBe(404)
    expect(await statusOf(await post({ method: 'tools/list' }, owner, second.id))).toBe(200)
    expect(await statusOf(await post({ method: 'tools/list' }, owner, third.id))).toBe(200)
    expect(await statusOf(await post({ method: 'tools/list' }, user('u1'), theirs.id))).toBe(200)
  })

  it('is refused when all others are in use', async () => {
    here = openEndpointHere({ files: [tool('read')] }, { limits: { sessions: { most: 1 } } })
    const { id } = await begin()
    const stream = await here.ask(
      new Request('http://signalbox.test/mcp', {
        headers: { 'mcp-session-id': id, accept: 'text/event-stream' },
      }),
    )
    expect((await begin(user('u1'))).status).toBe(503)
    await stream.body?.cancel()
    await vi.waitFor(async () => expect((await begin(user('u1'))).status).toBe(200), 20_000)
  })

  it('is ended when it is silent for too long', async () => {
    here = openEndpointHere({ files: [tool('read')] }, { limits: { sessions: { idleMs: 20 } } })
    const { id } = await begin()
    // Asked no more often than it may be silent: each question is a sign of life.
    await vi.waitFor(
      async () => expect(await statusOf(await post({ method: 'tools/list' }, owner, id))).toBe(404),
      { timeout: 20_000, interval: 200 },
    )
  })

  it('gives what was missed to a client that was cut off', async () => {
    const slow = tool('slow', async (_args, { onProgress }) => {
      onProgress?.({ progress: 1 })
      return {}
    })
    here = openEndpointHere({ files: [slow] })
    const { id } = await begin()
    const params = { name: 'files__slow', arguments: {}, _meta: { progressToken: 'p' } }
    const whole = await (await post({ method: 'tools/call', params }, owner, id)).text()
    const ids = [...whole.matchAll(/^id: (.+)$/gm)].map(([, event]) => event)
    const headers = {
      'mcp-session-id': id,
      'mcp-protocol-version': '2025-11-25',
      accept: 'text/event-stream',
      'last-event-id': ids[0] ?? '',
    }
    const replay = await here.ask(new Request('http://signalbox.test/mcp', { headers }))
    const reader = replay.body?.getReader()
    let text = ''
    const decoder = new TextDecoder()
    while (!text.includes('"result"')) text += decoder.decode((await reader?.read())?.value)
    expect(text).toContain('notifications/progress')
    await reader?.cancel()
  })
})

it.each(['', '{"jsonrpc":'])('a body that is no JSON (%j) is told as the protocol has it', async (body) => {
  here = openEndpointHere({ board: [tool('list_tasks')] })
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const answer = await here.ask(new Request('http://here/mcp', { method: 'POST', headers, body }))
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({ id: null, error: { code: -32_700 } })
})
