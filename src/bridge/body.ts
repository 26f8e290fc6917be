import { Problem } from '#domain/problem.ts'
import { faultInJson } from '#lib/json.ts'

/** A chat client sends all that was ever said, with every file. */
const mostBytes = 64 * 1024 * 1024

/** The JSON of a request. A page elsewhere cannot send any without asking first, which is why nothing else is taken. */
export async function readJson(request: Request): Promise<unknown> {
  if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(request.headers.get('content-type') ?? ''))
    throw new Problem('does_not_fit', 'The header does not fit: Content-Type: must be application/json')
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.length
    if (size > mostBytes)
      throw new Problem('body_too_large', `The body is larger than the ${mostBytes} bytes that fit here`)
    chunks.push(chunk)
  }
  const text = Buffer.concat(chunks).toString('utf8')
  const fault = faultInJson(text)
  if (fault)
    throw new Problem(
      'bad_json',
      `The body is not valid JSON: line ${fault.line}, column ${fault.column}: ${fault.reason}`,
    )
  return JSON.parse(text)
}
