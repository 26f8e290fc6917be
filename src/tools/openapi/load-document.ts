import type { SourceConfig } from '#contract/source.ts'
import { BadDocument } from './document.ts'
import type { Document } from './document.ts'
import { largestDocument, readDocument } from './read-document.ts'
import { send } from './send.ts'
import type { ApiAnswer } from './send.ts'

const longestMs = 30_000

export interface Loaded {
  document: Document
  /** By which the server knows this version again. */
  etag: string | undefined
}

/** `unchanged`: it is the one of this etag. Rejects with CallFailed or BadDocument. */
export async function loadDocument(
  address: string,
  secrets: Pick<SourceConfig, 'headers' | 'auth'>,
  way: { fetch: typeof fetch; signal: AbortSignal; etag?: string | undefined },
): Promise<Loaded | 'unchanged'> {
  const ask = (headers: Headers): Promise<ApiAnswer> => {
    headers.set('accept', 'application/json, application/yaml, text/yaml, */*;q=0.5')
    headers.set('user-agent', 'signalbox')
    if (way.etag !== undefined) headers.set('if-none-match', way.etag)
    const signal = AbortSignal.any([way.signal, AbortSignal.timeout(longestMs)])
    const request = { method: 'GET', url: new URL(address), headers }
    return send(request, { fetch: way.fetch, signal, largest: largestDocument })
  }
  let answer = await ask(new Headers())
  // Shown only to a host that asks: the document may lie elsewhere than what it describes.
  if ([401, 403].includes(answer.status)) {
    const token = secrets.auth?.token
    const headers = new Headers(token === undefined ? {} : { authorization: `Bearer ${token}` })
    for (const [name, value] of Object.entries(secrets.headers)) headers.set(name, value)
    answer = await ask(headers)
  }
  if (answer.status === 304) return 'unchanged'
  if (answer.status !== 200) {
    throw new BadDocument(
      `The document cannot be had: the server answered ${answer.status} ${answer.statusText}`.trim(),
    )
  }
  const text = new TextDecoder().decode(answer.bytes)
  return {
    document: await readDocument(text, answer.url.href),
    etag: answer.headers.get('etag') ?? undefined,
  }
}
