import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import type { UIMessage } from 'ai'
import { afterAll, afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { dataOf, openBridgeRoom, openChat, spawnBridge, textOf, toolsOf } from '../support/bridge.ts'
import type { BridgeRoom, TestBridge } from '../support/bridge.ts'

const sharedRoom = openBridgeRoom()
let shared: TestBridge | undefined
let room: BridgeRoom | undefined
afterEach(async () => {
  await room?.close()
  room = undefined
})
afterAll(() => sharedRoom.close())

/** One for all who want nothing special, with nothing said in it yet. */
async function usual(): Promise<TestBridge> {
  shared ??= await sharedRoom.start()
  await shared.fetch('/chat', { method: 'DELETE' })
  return shared
}

async function start(env: Record<string, string> = {}): Promise<TestBridge> {
  room ??= openBridgeRoom()
  return room.start(env)
}

const patience = { timeout: 30_000 }

const json = { 'content-type': 'application/json' }
const say = (text: string) => [{ id: 'u1', role: 'user', parts: [{ type: 'text', text }] }]
const post = (bridge: TestBridge, body: unknown, headers: Record<string, string> = json) =>
  bridge.fetch('/chat', { method: 'POST', headers, body: JSON.stringify(body) })
const stateOf = async (bridge: TestBridge) =>
  ((await (await bridge.fetch('/health')).json()) as { state: string }).state

/** The chunks of a stream, and whether it said that it was complete. */
async function chunksOf(response: Response) {
  const frames = (await response.text()).split('\n\n').filter((frame) => frame.startsWith('data: '))
  const last = frames.at(-1) === 'data: [DONE]'
  // oxlint-disable-next-line typescript/no-explicit-any -- a test looks into chunks of every shape
  const chunks: any[] = frames
    .filter((frame) => frame !== 'data: [DONE]')
    .map((frame) => JSON.parse(frame.slice(6)))
  return { chunks, isComplete: last, types: chunks.map(({ type }) => type as string) }
}

describe('a chat', () => {
  test('goes on turn after turn with the AI SDK’s own client, and is there for the next one', async () => {
    const bridge = await usual()
    expect(await (await bridge.fetch('/')).json()).toMatchObject({ name: 'signalbox agent' })
    expect(await stateOf(bridge)).toBe('new')
    const chat = openChat(`${bridge.url}/chat`)
    await chat.sendMessage({ text: 'think hm\nsay Hello\ntool Read contents\nplan one two' })
    expect([chat.status, chat.error]).toEqual(['ready', undefined])
    const [, answer] = chat.messages
    expect(textOf(answer)).toBe('Hello')
    expect(toolsOf(answer)).toMatchObject([
      { toolName: 'Read', state: 'output-available', output: 'contents' },
    ])
    expect(answer?.parts.find(({ type }) => type === 'reasoning')).toMatchObject({ text: 'hm' })
    expect(dataOf(answer, 'data-session')).toHaveLength(1)
    await chat.sendMessage({ text: 'say Again' })
    expect(textOf(chat.messages.at(-1))).toBe('Again')
    expect(await stateOf(bridge)).toBe('running')
    const told = (await (await bridge.fetch('/chat')).json()) as UIMessage[]
    expect(told.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
    expect(told.map(textOf)).toEqual(chat.messages.map(textOf))
    expect(told.map(({ id }) => id)).toEqual(chat.messages.map(({ id }) => id))
  })

  test('is a stream of frames as the AI SDK wants it, also for messages alone', async () => {
    const bridge = await usual()
    const response = await post(bridge, say('say Hello'))
    expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1')
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const { types, isComplete } = await chunksOf(response)
    expect(types.at(0)).toBe('start')
    expect(types.at(-1)).toBe('finish')
    expect(isComplete).toBe(true)
  })

  test('can be read again from its beginning while a turn is under way, and goes on without its reader', async () => {
    const bridge = await usual()
    const gone = new AbortController()
    const first = await bridge.fetch('/chat', {
      method: 'POST',
      headers: json,
      body: JSON.stringify(say('say One\nask wait')),
      signal: gone.signal,
    })
    await first.body!.getReader().read()
    gone.abort()
    await expect.poll(async () => (await bridge.fetch('/chat/stream')).status, patience).toBe(200)
    const chat = openChat(`${bridge.url}/chat`)
    await chat.resumeStream()
    expect(textOf(chat.lastMessage)).toBe('One')
    expect(toolsOf(chat.lastMessage)).toMatchObject([{ state: 'approval-requested' }])
    expect((await post(bridge, say('say Two'))).status).toBe(409)
    await chat.addToolApprovalResponse({ id: toolsOf(chat.lastMessage)[0]!.approval!.id, approved: true })
    await expect.poll(() => textOf(chat.lastMessage), patience).toBe('Oneanswered yes')
    await expect.poll(() => chat.status, patience).toBe('ready')
    expect((await bridge.fetch('/chat/stream')).status).toBe(204)
    expect((await bridge.fetch('/chat/any-id/stream')).status).toBe(204)
  })

  test('starts afresh when it is deleted, also in the middle of a turn', async () => {
    const bridge = await usual()
    const chat = openChat(`${bridge.url}/chat`)
    const sending = chat.sendMessage({ text: 'say One\nstall' })
    await expect.poll(() => textOf(chat.lastMessage), patience).toBe('One')
    expect((await bridge.fetch('/chat', { method: 'DELETE' })).status).toBe(204)
    await sending
    expect(chat.status).toBe('error')
    expect(await (await bridge.fetch('/chat')).json()).toEqual([])
    expect(await stateOf(bridge)).toBe('new')
    expect(existsSync(join(bridge.folder, 'session.json'))).toBe(false)
    const next = openChat(`${bridge.url}/chat`)
    await next.sendMessage({ text: 'say Two' })
    expect(dataOf(next.lastMessage, 'data-session')).toMatchObject([{ began: 'new' }])
  })
})

describe('questions', () => {
  test.each([
    [true, 'answered yes', 'output-available'],
    [false, 'answered no', 'output-denied'],
  ])('are asked in the stream, and answered (%s) as the AI SDK does', async (approved, said, state) => {
    const bridge = await usual()
    const chat = openChat(`${bridge.url}/chat`)
    await chat.sendMessage({ text: 'say Well:\nask rm -rf build' })
    const [asked] = toolsOf(chat.lastMessage)
    expect(asked).toMatchObject({ state: 'approval-requested', approval: { descriptor: { kind: 'tool' } } })
    await chat.addToolApprovalResponse({ id: asked!.approval!.id, approved })
    await expect
      .poll(() => [chat.status, textOf(chat.lastMessage)], patience)
      .toEqual(['ready', `Well:${said}`])
    expect(toolsOf(chat.lastMessage)).toMatchObject([{ state }])
    expect(chat.messages).toHaveLength(2)
    const told = (await (await bridge.fetch('/chat')).json()) as UIMessage[]
    expect(told.map(textOf)).toEqual(chat.messages.map(textOf))
  })

  test('that come at the same time as a tool that does not end are asked all the same', async () => {
    const bridge = await usual()
    const chat = openChat(`${bridge.url}/chat`)
    await chat.sendMessage({ text: 'open Watch\nask ls\nask pwd' })
    for (const place of [1, 2]) {
      await expect
        .poll(() => toolsOf(chat.lastMessage).filter(({ state }) => state === 'approval-requested'), patience)
        .toHaveLength(1)
      const asked = toolsOf(chat.lastMessage).find(({ state }) => state === 'approval-requested')
      await chat.addToolApprovalResponse({ id: asked!.approval!.id, approved: true })
      await expect.poll(() => textOf(chat.lastMessage), patience).toBe('answered yes'.repeat(place))
    }
    await expect.poll(() => chat.status, patience).toBe('ready')
    expect(toolsOf(chat.lastMessage).filter(({ state }) => !state.startsWith('output-'))).toEqual([])
  })

  test('are answered only by what waits here, about what was shown', async () => {
    const bridge = await usual()
    const file = join(bridge.folder, 'noted')
    const { chunks } = await chunksOf(await post(bridge, say(`note ${file} done`)))
    const asked = chunks.find(({ type }) => type === 'tool-approval-request')
    const input = chunks.findLast(({ type }) => type === 'tool-input-available').input
    const answer = (id: string, about: unknown) => [
      {
        id: 'm',
        role: 'assistant',
        parts: [
          {
            type: 'dynamic-tool',
            toolName: 'x',
            toolCallId: asked.toolCallId,
            state: 'approval-responded',
            input: about,
            approval: { id, approved: true },
          },
        ],
      },
    ]
    expect((await post(bridge, answer('019a0000-0000-7000-8000-000000000000', input))).status).toBe(409)
    expect((await post(bridge, answer(asked.approvalId, { command: 'something else' }))).status).toBe(409)
    expect(existsSync(file)).toBe(false)
    const { types } = await chunksOf(await post(bridge, answer(asked.approvalId, input)))
    expect(types).toContain('tool-approval-response')
    expect(readFileSync(file, 'utf8')).toBe('done\n')
    expect((await post(bridge, answer(asked.approvalId, input))).status).toBe(409)
    expect(readFileSync(file, 'utf8')).toBe('done\n')
  })

  test.each([
    ['all', 'answered yes'],
    ['deny', 'answered no'],
  ])('are answered by AGENT_PERMISSIONS=%s without a person', async (permissions, said) => {
    const bridge = await start({ AGENT_PERMISSIONS: permissions })
    const chat = openChat(`${bridge.url}/chat`)
    await chat.sendMessage({ text: 'ask ls' })
    expect(textOf(chat.lastMessage)).toBe(said)
  })

  test('with a form are answered by the reason', async () => {
    const bridge = await usual()
    const chat = openChat(`${bridge.url}/chat`)
    await chat.sendMessage({ text: 'question Which color?' })
    const [asked] = toolsOf(chat.lastMessage)
    expect(asked?.approval).toMatchObject({ descriptor: { kind: 'question' } })
    await chat.addToolApprovalResponse({
      id: asked!.approval!.id,
      approved: true,
      reason: '{"color":"blue"}',
    })
    await expect
      .poll(() => textOf(chat.lastMessage), patience)
      .toBe('{"action":"accept","content":{"color":"blue"}}')
  })
})

describe('a session', () => {
  test.each([
    ['load resume', 'resumed'],
    ['load', 'loaded'],
    ['', 'new'],
  ])('of an agent that can %j is %s after the bridge was killed, and says so', async (can, began) => {
    const first = await start({ SCRIPTED_CAN: can })
    const chat = openChat(`${first.url}/chat`)
    await chat.sendMessage({ text: 'say One' })
    await first.kill()
    expect(statSync(join(first.folder, 'session.json')).mode & 0o777).toBe(0o600)
    const second = await start({ SCRIPTED_CAN: can })
    expect(await stateOf(second)).toBe('closed')
    const told = (await (await second.fetch('/chat')).json()) as UIMessage[]
    expect(told.map(textOf)).toEqual(['say One', 'One'])
    const next = openChat(`${second.url}/chat`, {}, told)
    await next.sendMessage({ text: 'say Two' })
    expect(textOf(next.lastMessage)).toBe('Two')
    const [facts] = dataOf(next.lastMessage, 'data-session') as { began: string; note?: string }[]
    expect(facts?.began).toBe(began)
    expect(dataOf(next.lastMessage, 'data-notice')).toHaveLength(began === 'new' ? 1 : 0)
  })

  test('keeps no secrets in its file', async () => {
    const bridge = await start({
      AGENT_TOKEN: 'bridge-token-of-this-test',
      OPENAI_API_KEY: 'key-of-this-test-0001',
    })
    const headers = { ...json, authorization: 'Bearer bridge-token-of-this-test' }
    await (
      await post(bridge, say('say key-of-this-test-0001 bridge-token-of-this-test kept'), headers)
    ).text()
    await expect
      .poll(() => readFileSync(join(bridge.folder, 'session.json'), 'utf8'), patience)
      .toMatch(/kept/)
    const kept = readFileSync(join(bridge.folder, 'session.json'), 'utf8')
    expect(kept).not.toMatch(/of-this-test/)
  })

  test('of another agent is not taken for ours', async () => {
    const first = await start()
    await (await post(first, say('say One'))).text()
    await first.stop()
    const elsewhere = join(first.folder, 'home')
    const second = await start({ AGENT_CWD: elsewhere })
    expect(await (await second.fetch('/chat')).json()).toEqual([])
  })

  test('goes on in memory where it cannot be kept', async () => {
    const bridge = await start({ SESSION_FILE: '/proc/no/such/folder/session.json' })
    const chat = openChat(`${bridge.url}/chat`)
    await chat.sendMessage({ text: 'say One' })
    await chat.sendMessage({ text: 'say Two' })
    expect(textOf(chat.lastMessage)).toBe('Two')
    expect(await (await bridge.fetch('/health')).json()).toMatchObject({ notKept: expect.any(String) })
    expect(bridge.log()).toMatch(/only in memory/)
  })

  test('in a file that nobody understands begins anew', async () => {
    room = openBridgeRoom()
    writeFileSync(join(room.folder, 'session.json'), '{"half":')
    const bridge = await start()
    expect(await (await bridge.fetch('/chat')).json()).toEqual([])
    expect(bridge.log()).toMatch(/cannot be understood/)
  })
})

describe('what goes wrong', () => {
  test('an agent that cannot be started is 500 with the reason, and the next one is tried', async () => {
    const bridge = await start({ AGENT_COMMAND: 'no-such-agent' })
    const response = await post(bridge, say('say One'))
    expect(response.status).toBe(500)
    expect(await response.json()).toMatchObject({
      error: {
        code: 'agent_not_started',
        message: expect.stringContaining('no-such-agent is not installed'),
      },
    })
    expect((await post(bridge, say('say One'))).status).toBe(500)
    expect(await (await bridge.fetch('/chat')).json()).toEqual([])
  })

  test('an agent that dies at its start is 500 too', async () => {
    const bridge = await start({ SCRIPTED_DIES_AT_START: '1' })
    const response = await post(bridge, say('say One'))
    expect(response.status).toBe(500)
    expect(((await response.json()) as { error: { message: string } }).error.message).toMatch(
      /too old for me/,
    )
  })

  test('an agent that dies in a turn ends the stream with an error, and is resumed by the next message', async () => {
    const bridge = await usual()
    const chat = openChat(`${bridge.url}/chat`)
    await chat.sendMessage({ text: 'say One\nkill' })
    expect(chat.status).toBe('error')
    expect(chat.error?.message).toMatch(/SIGKILL/)
    expect(textOf(chat.lastMessage)).toBe('One')
    expect(await stateOf(bridge)).toBe('closed')
    chat.clearError()
    await chat.sendMessage({ text: 'say Two' })
    expect(textOf(chat.lastMessage)).toBe('Two')
    expect(dataOf(chat.lastMessage, 'data-session')).toMatchObject([{ began: expect.any(String) }])
  })

  test('what a dead agent has left is ended before the next one begins, which is not taken for it', async () => {
    const bridge = await usual()
    const chat = openChat(`${bridge.url}/chat`)
    for (const round of ['One', 'Two', 'Three']) {
      await chat.sendMessage({ text: 'child 60\nkill' })
      expect(chat.status).toBe('error')
      chat.clearError()
      await chat.sendMessage({ text: `say ${round}` })
      expect([chat.status, textOf(chat.lastMessage)]).toEqual(['ready', round])
    }
  })

  test('a turn that takes too long ends with what there is and an error; the agent goes on', async () => {
    const bridge = await start({ AGENT_TIMEOUT: '500ms' })
    const { chunks, isComplete } = await chunksOf(await post(bridge, say('say One\nstall')))
    expect(chunks.find(({ type }) => type === 'text-delta')).toMatchObject({ delta: 'One' })
    expect(chunks.at(-1)).toMatchObject({
      type: 'error',
      errorText: expect.stringContaining('Timed out after 0.5 s'),
    })
    expect(isComplete).toBe(true)
    const { types } = await chunksOf(await post(bridge, say('say Two')))
    expect(types.at(-1)).toBe('finish')
  })

  test('malformed updates are skipped', async () => {
    const bridge = await usual()
    const chat = openChat(`${bridge.url}/chat`)
    await chat.sendMessage({ text: 'say One\ngarbage 3\nnonsense\nsay Two' })
    expect([chat.status, textOf(chat.lastMessage)]).toEqual(['ready', 'OneTwo'])
  })

  test('an agent’s own history is not gone back in', async () => {
    const bridge = await usual()
    const chat = openChat(`${bridge.url}/chat`)
    await chat.sendMessage({ text: 'say One' })
    await chat.regenerate()
    expect(chat.error?.message).toContain('keeps its own history')
    const edited = openChat(`${bridge.url}/chat`, {}, chat.messages)
    await edited.sendMessage({ text: 'say Two', messageId: chat.messages[0]!.id })
    expect(edited.error?.message).toContain('keeps its own history')
    const told = await (await bridge.fetch('/chat')).json()
    expect(told).toHaveLength(2)
  })

  test('what nobody can understand is refused', async () => {
    const bridge = await usual()
    const refusals: [string, Record<string, string>, number][] = [
      ['{"messages":', json, 400],
      [JSON.stringify(say('x')), { 'content-type': 'text/plain' }, 422],
      ['{"messages":[]}', json, 422],
      [JSON.stringify(say(' ')), json, 422],
      [JSON.stringify([{ id: 'a', role: 'assistant', parts: [] }]), json, 422],
    ]
    for (const [body, headers, status] of refusals) {
      const response = await bridge.fetch('/chat', { method: 'POST', headers, body })
      expect(await response.json()).toMatchObject({ error: { message: expect.any(String) } })
      expect(response.status).toBe(status)
    }
    expect(await stateOf(bridge)).toBe('new')
  })
})

describe('who may call', () => {
  test('without a token: only who calls it by its own name, and no page of elsewhere', async () => {
    const bridge = await usual()
    const { port } = new URL(bridge.url)
    const statusOf = (headers: Record<string, string>) =>
      new Promise<number | undefined>((resolve, reject) => {
        const asked = request(`${bridge.url}/chat`, { headers }, (response) => {
          response.resume()
          resolve(response.statusCode)
        })
        asked.once('error', reject).end()
      })
    expect(await statusOf({ host: `localhost:${port}` })).toBe(200)
    expect(await statusOf({ host: `evil.example:${port}` })).toBe(403)
    expect(await statusOf({ origin: 'https://evil.example' })).toBe(403)
    expect(await statusOf({ 'sec-fetch-site': 'cross-site' })).toBe(403)
  })

  test('with a token: whoever shows it', async () => {
    const bridge = await start({ AGENT_TOKEN: 'bridge-token-1', HOST: '0.0.0.0' })
    const at = (path: string, authorization?: string) =>
      bridge.fetch(path, authorization ? { headers: { authorization } } : {})
    expect((await at('/health')).status).toBe(200)
    expect((await at('/chat')).status).toBe(401)
    expect((await at('/chat', 'Bearer bridge-token-2')).status).toBe(401)
    expect((await at('/chat', 'Bearer bridge-token-1')).status).toBe(200)
    expect((await at('/chat/stream')).status).toBe(401)
  })

  test('other machines only with a token: else it does not start', async () => {
    room = openBridgeRoom()
    const child = spawnBridge(room.folder, { HOST: '0.0.0.0' })
    onTestFinished(() => void child.kill('SIGKILL'))
    let said = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text))
    expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(78)
    expect(said).toMatch(/AGENT_TOKEN/)
  })
})
