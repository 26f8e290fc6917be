import { streamText } from 'ai'
import type { LanguageModel } from 'ai'
import type { Signalbox } from '../../test/support/signalbox.ts'

/** What became of one question, in milliseconds. */
export interface Answered {
  /** From asking to the first words. */
  firstMs: number
  wholeMs: number
  /** How old each delta was when it came. */
  ages: number[]
}

/** Hears the words as they come; told when they are all there. */
function openWatch(expected: number) {
  const asked = performance.now()
  const ages: number[] = []
  let [firstMs, rest] = [0, '']
  return {
    hear(delta: string): void {
      const now = process.hrtime.bigint()
      firstMs ||= performance.now() - asked
      const stamps = (rest + delta).split(';')
      rest = stamps.pop() ?? ''
      for (const stamp of stamps) ages.push(Number(now - BigInt(stamp)) / 1e6)
    },
    end(): Answered {
      if (ages.length !== expected) throw new Error(`${ages.length} deltas came of ${expected}`)
      return { firstMs, wholeMs: performance.now() - asked, ages }
    },
  }
}

const countIn = (prompt: string): number => Number(prompt.split(' ', 1)[0])

/** The AI SDK itself, in this process. */
export async function askDirectly(model: LanguageModel, prompt: string): Promise<Answered> {
  const watch = openWatch(countIn(prompt))
  const result = streamText({
    model,
    prompt,
    maxRetries: 0,
    onError: ({ error }) => {
      throw error
    },
  })
  for await (const delta of result.textStream) watch.hear(delta)
  return watch.end()
}

/** The least there is: Anthropic's Messages by fetch. */
export async function askPlainly(providerUrl: string, prompt: string): Promise<Answered> {
  const watch = openWatch(countIn(prompt))
  const body = {
    model: 'claude-sonnet-4-5',
    max_tokens: 8_192,
    stream: true,
    messages: [{ role: 'user', content: prompt }],
  }
  for await (const data of eventsOf(`${providerUrl}/v1/messages`, body)) {
    const { delta } = JSON.parse(data) as { delta?: { text?: string } }
    if (delta?.text) watch.hear(delta.text)
  }
  return watch.end()
}

/** A turn of a session, as a chat client asks for it. */
export async function askSignalbox(
  { url, token }: Pick<Signalbox, 'url' | 'token'>,
  sessionId: string,
  prompt: string,
): Promise<Answered> {
  const watch = openWatch(countIn(prompt))
  const body = { messages: [{ id: 'u', role: 'user', parts: [{ type: 'text', text: prompt }] }] }
  const address = `${url}/api/v1/sessions/${sessionId}/chat`
  for await (const data of eventsOf(address, body, { authorization: `Bearer ${token}` })) {
    if (data === '[DONE]') break
    const chunk = JSON.parse(data) as { type: string; delta?: string; errorText?: string }
    if (chunk.type === 'error') throw new Error(chunk.errorText)
    if (chunk.type === 'text-delta' && chunk.delta) watch.hear(chunk.delta)
  }
  return watch.end()
}

/** The data of server-sent events that answer a POST. */
async function* eventsOf(
  url: string,
  body: object,
  headers: Record<string, string> = {},
): AsyncGenerator<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
  let rest = ''
  for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
    const frames = (rest + piece).split('\n\n')
    rest = frames.pop() ?? ''
    for (const frame of frames) {
      const data = frame.split('\n').find((line) => line.startsWith('data: '))
      if (data !== undefined) yield data.slice('data: '.length)
    }
  }
}
