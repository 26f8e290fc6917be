import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { ModelProvider } from '#contract/settings.ts'
import { askProvider } from './ask-provider.ts'
import { factsOf } from './catalogue.ts'
import { openModel } from './providers.ts'
import type { ModelSettings } from './providers.ts'
import { takeStep } from './step.ts'
import { sumUp } from './summary.ts'

const providers = ['anthropic', 'openai', 'google', 'compatible'] as const
/** It looks like no key that is known, and is under no name that is. */
const key = 'Zm9vYmFy.our+own/gateway~4711'
const half = key.slice(0, 12)

interface Told {
  status: number
  message: (request: IncomingMessage) => string
}
const whole = (request: IncomingMessage): string => `${request.url} ${JSON.stringify(request.headers)}`
const ways: [string, Told][] = [
  ['401 with all headers', { status: 401, message: whole }],
  ['500 with all headers', { status: 500, message: whole }],
  ['400 with the key alone', { status: 400, message: () => `Is ${key} a key?` }],
  ['429 with the key in an address', { status: 429, message: () => `/v1?k=${encodeURIComponent(key)}` }],
  ['400 with the key where it is cut', { status: 400, message: () => `${'x'.repeat(288)}${key}` }],
  ['400 with the key where probes cut', { status: 400, message: () => `${'x'.repeat(188)}${key}` }],
]

test.each(providers.flatMap((provider) => ways.map(([name, told]) => [provider, name, told] as const)))(
  '%s answers %s, and nobody is told the key',
  async (provider, _, told) => {
    const settings = await settingsFor(provider, (request, response) => {
      const error = { message: told.message(request), type: 'an_error', code: told.status }
      response.writeHead(told.status, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ type: 'error', error }))
    })
    for (const words of await everythingToldBy(settings, provider)) {
      expect(words).toContain(provider)
      expect(words).not.toContain(half)
      expect(words).not.toContain(encodeURIComponent(key).slice(0, 14))
    }
  },
)

test.each(providers)('%s breaks off its answer with the key in it, and nobody is told', async (provider) => {
  const settings = await settingsFor(provider, (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const error = { message: `no more for ${key}`, code: 'x' }
    response.end(`event: error\ndata: ${JSON.stringify({ type: 'error', error, ...error })}\n\n`)
  })
  for (const words of await everythingToldBy(settings, provider)) expect(words).not.toContain(half)
})

/** By a step of a turn, by a summary and by a probe. */
async function everythingToldBy(settings: ModelSettings, provider: ModelProvider): Promise<string[]> {
  const model = await openModel(settings, { provider, model: 'a-model' })
  const signal = AbortSignal.timeout(20_000)
  const asked = { model, provider, signal }
  const messages = [{ role: 'user', content: 'go' } as const]
  const step = { ...asked, system: '', messages, tools: [], callIds: new Set<string>(), maxOutputTokens: 9 }
  const facts = factsOf(provider, 'a-model')
  const failures = await Promise.all([
    takeStep(step, () => undefined).catch(errorIn),
    sumUp({ ...asked, facts, before: null, messages, mostTokens: 100 }).catch(errorIn),
  ])
  const probed = await askProvider(settings, provider, 20_000)
  return [...failures.map(String), probed.reason ?? provider]
}

const errorIn = (error: unknown): string =>
  error instanceof Error ? `${error.message} ${JSON.stringify(error)}` : String(error)

async function settingsFor(
  provider: ModelProvider,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<ModelSettings> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => answer(request, response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const none = { anthropic: {}, openai: {}, google: {}, compatible: {} }
  return { ...none, [provider]: { apiKey: key, baseUrl } }
}
