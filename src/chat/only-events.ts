import { ModelFailed } from './failure.ts'
import { isHtml, theirWords } from './their-words.ts'

/** So much of an answer is looked at for the first event. */
const mostBefore = 64 * 1024

/** The same answer, which fails where no event comes in it: a web page, an empty one, an error that calls itself a success. */
export function onlyEvents(answer: Response, provider: string, apiKey: string | undefined): Response {
  const { status, statusText, headers } = answer
  const body = (answer.body ?? new Blob([]).stream()).pipeThrough(needsEvent(provider, apiKey))
  return new Response(body, { status, statusText, headers: plain(headers) })
}

/** It is not compressed any more. */
function plain(headers: Headers): Headers {
  const kept = new Headers(headers)
  kept.delete('content-encoding')
  kept.delete('content-length')
  return kept
}

function needsEvent(provider: string, apiKey: string | undefined): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder()
  let before = ''
  let hasEvent = false
  return new TransformStream({
    transform(bytes, controller) {
      if (!hasEvent) {
        before += decoder.decode(bytes, { stream: true })
        hasEvent = /(^|[\r\n])data:/.test(before)
        if (!hasEvent && before.length > mostBefore) throw noAnswer(provider, before, apiKey)
        if (hasEvent) before = ''
      }
      controller.enqueue(bytes)
    },
    flush() {
      if (!hasEvent) throw noAnswer(provider, before, apiKey)
    },
  })
}

function noAnswer(provider: string, text: string, apiKey: string | undefined): ModelFailed {
  if (text.trim() === '') return new ModelFailed('garbled', `${provider} answered with nothing at all`)
  const said = theirWords(text, apiKey)
  return new ModelFailed(
    'garbled',
    `${provider} answered with ${isHtml(text) ? 'a web page' : 'something'} that is no answer of a model${said && `: ${said}`}`,
  )
}
