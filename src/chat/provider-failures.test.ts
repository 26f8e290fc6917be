import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { ModelProvider } from '#contract/settings.ts'
import { adviceOn } from './advice.ts'
import { whyFailed } from './ask-again.ts'
import { ModelFailed } from './failure.ts'
import { openModel } from './providers.ts'
import { takeStep } from './step.ts'

const providers = ['anthropic', 'openai', 'google', 'compatible'] as const
const model = 'a-model'
const page =
  '<!DOCTYPE html>\n<html><head><title>Log in</title></head><body>Welcome to the hotel</body></html>'

test.each(providers)('%s answers 200 with an empty stream: that is no answer', async (provider) => {
  const url = await answering((response) =>
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(),
  )
  const { failure, words } = await failureOf(provider, url)
  expect(failure).toMatchObject({ kind: 'garbled', message: `${provider} answered with nothing at all` })
  expect(words).toContain(url)
  expect(words).toMatch(/check \w+_BASE_URL$/)
})

test.each(providers)('%s answers 200 with a web page, as a portal does', async (provider) => {
  const url = await answering((response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end(page.repeat(100)),
  )
  const { failure, words } = await failureOf(provider, url)
  expect(failure).toMatchObject({ kind: 'garbled' })
  expect(words).toMatch(/answered with a web page.*check \w+_BASE_URL$/)
  expect(words).not.toContain('<')
})

test.each(providers)('%s calls an error a success', async (provider) => {
  const url = await answering((response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end('{"error":{"message":"No credits left"}}'),
  )
  expect((await failureOf(provider, url)).failure).toMatchObject({
    kind: 'garbled',
    message: expect.stringContaining('No credits left'),
  })
})

test.each(providers)('%s sends garbage: no words of the kit are told', async (provider) => {
  for (const garbage of ['data: {"half\n\n', 'data: 7\n\n']) {
    const url = await answering((response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(garbage),
    )
    const { failure, words } = await failureOf(provider, url)
    expect(failure).toMatchObject({ kind: 'garbled' })
    expect(words).not.toMatch(/successful response|normalized|AI_APICall|validation|finish reason|JSON/i)
  }
})

test.each(providers)('%s takes the question, and never answers', async (provider) => {
  const url = await answering(() => undefined)
  const { failure, words } = await failureOf(provider, url, 200)
  expect(failure).toMatchObject({ kind: 'dropped', isPassing: true })
  expect(words).toMatch(/did not answer within 0 s.*check \w+_BASE_URL/)
})

test.each(providers)('nobody listens where %s should be, or nobody can', async (provider) => {
  for (const [address, why] of [
    ['http://127.0.0.1:1', 'nobody may be asked at that port'],
    [await nobodyAt(), 'nobody listens there'],
  ] as const) {
    const { failure, words } = await failureOf(provider, address)
    expect(failure).toMatchObject({ kind: 'dropped', isPassing: true })
    expect(words).toContain(`${provider} cannot be reached: ${why}. It is asked at ${address}`)
    expect(words).toMatch(/check \w+_BASE_URL/)
  }
})

const bodies: [string, string, string][] = [
  ['vLLM', '{"object":"error","message":"too hot","type":"BadRequestError"}', 'too hot'],
  ['Ollama', '{"error":"model \\"foo\\" not found, try pulling it first"}', 'try pulling it first'],
  ['FastAPI', '{"detail":"no such deployment"}', 'no such deployment'],
  ['FastAPI, in a list', '{"detail":[{"loc":["body"],"msg":"field required"}]}', 'field required'],
  ['plain text', 'the upstream\nis  away', 'the upstream is away'],
  ['OpenAI', '{"error":{"message":"not like that"}}', 'not like that'],
  ['Google, in a list', '[{"error":{"code":400,"message":"odd schema"}}]', 'odd schema'],
]
test.each(bodies)('a reason as %s tells it reaches people, whoever it is', async (_, body, said) => {
  for (const provider of providers) {
    const url = await answering((response) => response.writeHead(400).end(body))
    const { failure } = await failureOf(provider, url)
    expect(failure).toMatchObject({ kind: 'bad_request', status: 400 })
    expect(failure.message.split('(400): ')[1]).toContain(said)
  }
})

test.each(providers)(
  'a page of a proxy in front of %s is not told in full, a long reason in one line',
  async (provider) => {
    const proxy = await answering((response) => response.writeHead(502).end(page))
    expect((await failureOf(provider, proxy)).failure.message).not.toContain('<')
    const long = await answering((response) => response.writeHead(400).end(`very\n${'long '.repeat(9_000)}`))
    expect((await failureOf(provider, long)).failure.message.length).toBeLessThan(400)
  },
)

const keys = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
  google: 'GOOGLE_GENERATIVE_AI_API_KEY',
  compatible: 'COMPATIBLE_API_KEY',
}
test.each(providers)('each refusal of %s says what to do', async (provider) => {
  const at = async (status: number, said = 'no') => {
    const url = await answering((response) =>
      response.writeHead(status).end(JSON.stringify({ error: { message: said } })),
    )
    return (await failureOf(provider, url)).words
  }
  expect(await at(401)).toMatch(new RegExp(`does not accept the key \\(401\\): no\\. Set ${keys[provider]} `))
  expect(await at(403, 'region')).toMatch(
    /may not be used, or not for this model \(403\): region\. Check .*_API_KEY/,
  )
  expect(await at(404)).toMatch(
    /no such model.*\(404\): no\. The model is asked for as a-model.*signalbox models/,
  )
  expect(await at(413)).toMatch(/too long.*start afresh.*MAX_HISTORY_TOKENS/)
  expect(await at(400)).toMatch(/edit it.*start afresh/)
})

test('a wait of an hour is told, and not waited for', async () => {
  const url = await answering((response) =>
    response.writeHead(429, { 'retry-after': '3600' }).end('{"error":{"message":"slow"}}'),
  )
  const { failure, words } = await failureOf('compatible', url)
  expect(failure).toMatchObject({ kind: 'rate_limited', retryAfterMs: 3_600_000 })
  expect(words).toContain('wants to be asked again in 60 min at the earliest')
})

async function failureOf(
  provider: ModelProvider,
  url: string,
  patienceMs?: number,
): Promise<{ failure: ModelFailed; words: string }> {
  const place = provider === 'openai' || provider === 'compatible' ? `${url}/v1` : url
  const none = { anthropic: {}, openai: {}, google: {}, compatible: {} }
  const settings = { ...none, [provider]: { apiKey: 'a-key-of-ours', baseUrl: place } }
  const chosen = { provider, model }
  const asked = takeStep(
    {
      model: await openModel(settings, chosen, patienceMs),
      provider,
      system: 'Be brief.',
      messages: [{ role: 'user', content: 'go' }],
      tools: [],
      callIds: new Set(),
      maxOutputTokens: 100,
      signal: new AbortController().signal,
    },
    () => undefined,
  )
  const failure: unknown = await asked.catch((error: unknown) => error)
  if (!(failure instanceof ModelFailed)) throw new Error(`It answered: ${JSON.stringify(failure)}`)
  return { failure, words: whyFailed(failure, adviceOn(failure, settings, chosen)) }
}

async function answering(answer: (response: ServerResponse) => unknown): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => answer(response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A port that was free a moment ago. */
async function nobodyAt(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}`
}
