import { expect, onTestFinished, test } from 'vitest'
import { startLoopbackModel } from './server.ts'

const schema = { type: 'object', properties: { command: { type: 'string' } } }

/** One request in each of the four ways, with a prompt, a tool that runs commands, and what it answered before. */
const apis = {
  anthropic: (prompt: string, results: string[]) => ({
    path: '/v1/messages',
    body: {
      model: 'm',
      stream: true,
      tools: [{ name: 'Bash', input_schema: schema }],
      messages: [
        { role: 'user', content: [{ type: 'text', text: prompt }] },
        ...results.map((content) => ({ role: 'user', content: [{ type: 'tool_result', content }] })),
      ],
    },
  }),
  responses: (prompt: string, results: string[]) => ({
    path: '/v1/responses',
    body: {
      model: 'm',
      stream: true,
      tools: [{ type: 'function', name: 'shell', parameters: schema }],
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: prompt }] },
        ...results.map((output) => ({ type: 'function_call_output', output })),
      ],
    },
  }),
  chatCompletions: (prompt: string, results: string[]) => ({
    path: '/v1/chat/completions',
    body: {
      model: 'm',
      stream: true,
      tools: [{ function: { name: 'bash', parameters: schema } }],
      messages: [{ role: 'user', content: prompt }, ...results.map((content) => ({ role: 'tool', content }))],
    },
  }),
  gemini: (prompt: string, results: string[]) => ({
    path: '/v1beta/models/m:streamGenerateContent',
    body: {
      tools: [{ functionDeclarations: [{ name: 'run_shell_command', parametersJsonSchema: schema }] }],
      contents: [
        { role: 'user', parts: [{ text: prompt }] },
        ...results.map((output) => ({
          role: 'user',
          parts: [{ functionResponse: { response: { output } } }],
        })),
      ],
    },
  }),
}

async function open() {
  const model = await startLoopbackModel()
  onTestFinished(() => model.close())
  const post = ({ path, body }: { path: string; body: object }) =>
    fetch(model.url + path, { method: 'POST', body: JSON.stringify(body) })
  return { model, post }
}

test.each(Object.entries(apis))('%s: calls a tool, hears of it, says, refuses', async (_, ask) => {
  const { model, post } = await open()
  const prompt = '[[bash:touch a.txt]] [[text:All is well.]]'
  expect(await (await post(ask(prompt, []))).text()).toContain('touch a.txt')
  expect(await (await post(ask(prompt, ['it ran']))).text()).toMatch(/All [^]*is [^]*well\./)
  expect(model.turns.map(({ step, results }) => [step.type, results.join().includes('it ran')])).toEqual([
    ['bash', false],
    ['text', true],
  ])
  const once = '[[status:429 1]] [[text:Better.]]'
  expect((await post(ask(once, []))).status).toBe(429)
  expect((await post(ask(once, []))).status).toBe(200)
  await expect(post(ask('[[drop]]', [])).then((answer) => answer.text())).rejects.toThrow('terminated')
  expect(model.complaints).toEqual([])
})

test('says why when it cannot do as the prompt says', async () => {
  const { model, post } = await open()
  expect((await post(apis.anthropic('[[call:say_back]]', []))).status).toBe(400)
  expect(model.complaints).toEqual(['POST /v1/messages: No tool say_back is offered, only Bash'])
})

test('what is not a conversation gets a harmless answer', async () => {
  const { model, post } = await open()
  expect((await fetch(`${model.url}/v1/models`)).status).toBe(200)
  expect(await (await post({ path: '/v1/messages/count_tokens', body: {} })).json()).toMatchObject({
    input_tokens: 10,
  })
  const title = { model: 'm', messages: [{ role: 'user', content: 'Title for [[hang]]?' }] }
  expect(await (await post({ path: '/v1/messages', body: title })).text()).toContain('A title')
  expect(model.turns).toEqual([])
})
