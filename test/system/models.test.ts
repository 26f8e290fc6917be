import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { untilEnded } from '../support/commands.ts'
import { startLoopbackModel } from '../support/loopback-model/server.ts'
import type { LoopbackModel } from '../support/loopback-model/server.ts'
import { startSignalbox } from '../support/signalbox.ts'
import type { Signalbox } from '../support/signalbox.ts'

const program = join(import.meta.dirname, '../../src/main/signalbox.ts')
const apiKey = 'sk-ant-nobody-may-read-this'
let model: LoopbackModel
let box: Signalbox

beforeAll(async () => {
  model = await startLoopbackModel({ isChat: true })
  box = await startSignalbox({
    env: {
      ANTHROPIC_API_KEY: apiKey,
      ANTHROPIC_BASE_URL: model.url,
      GEMINI_API_KEY: 'AIza-nobody-may-read-this',
      GEMINI_BASE_URL: `${model.url}/nowhere`,
      LLM_PROVIDER: 'claude',
    },
  })
}, 60_000)
afterAll(async () => {
  await box?.stop()
  await model?.close()
})

async function signalbox(...args: string[]) {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env['PATH'], HOME: box.home, SIGNALBOX_HOME: box.home },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, stdout, stderr }
}

it('lists models from the command line, and says what is missing where a provider is', async () => {
  const { code, stdout, stderr } = await signalbox('models', '--fresh')
  expect(stdout.split('\n').map((line) => line.trim().split(/ {2,}/))).toEqual([
    ['NAME', 'WINDOW', '$ IN', '$ OUT'],
    ['anthropic/claude-sonnet-4-5', '200k', '3.00', '15.00', 'default'],
    ['anthropic/claude-haiku-4-5', '200k', '1.00', '5.00'],
    [''],
  ])
  expect(stderr).toMatch(/^openai unconfigured: .*OPENAI_API_KEY is not set$/m)
  expect(stderr).toMatch(/^google failed: .*check GOOGLE_GENERATIVE_AI_BASE_URL$/m)
  expect(stderr).toMatch(/^compatible unconfigured: .*COMPATIBLE_BASE_URL is not set$/m)
  expect(code).toBe(0)
})

it('tells the same as JSON, and no key', async () => {
  const { stdout } = await signalbox('models', '--json')
  expect(JSON.parse(stdout)).toMatchObject({
    default: 'anthropic/claude-sonnet-4-5',
    models: [{ name: 'anthropic/claude-sonnet-4-5', isDefault: true }, { isDefault: false }],
    providers: [{ status: 'available' }, { status: 'unconfigured' }, { status: 'failed' }, {}],
  })
  expect(stdout + box.log()).not.toMatch(/nobody-may-read/)
})

it('talks to a model at once, without anything having been registered', async () => {
  const { code, stdout } = await signalbox('run', 'Say it. [[text:Well said.]]', '--agent', 'Chat')
  expect([code, stdout]).toEqual([0, expect.stringContaining('Well said.')])
})

it('says which variable is missing when a session wants a model that there is no key for', async () => {
  const [chat] = (await box.call('GET', '/agents')).body.data
  expect(chat).toMatchObject({ name: 'Chat', builtin: true, adapter: 'chat' })
  const [ask] = (await box.call('GET', `/agents/${chat.id}/capabilities`)).body.data
  const { id: sessionId } = (await box.call('POST', '/sessions', { agentId: chat.id })).body.data
  await box.call('PATCH', `/sessions/${sessionId}`, { model: 'openai/gpt-5' })
  const begin = async () => {
    const wanted = { capabilityId: ask.id, sessionId, prompt: 'Say it. [[text:Here.]]' }
    return untilEnded(box, (await box.call('POST', '/executions', wanted)).body.data.id, 40_000)
  }
  expect(await begin()).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('OPENAI_API_KEY') as string,
  })
  await box.call('PATCH', `/sessions/${sessionId}`, { model: 'anthropic/claude-haiku-4-5' })
  expect(await begin()).toMatchObject({ status: 'succeeded' })
  expect(model.turns.at(-1)?.model).toBe('claude-haiku-4-5')
})
