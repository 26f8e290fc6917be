// A provider of models that answers at once, in the ways of all of them: what is measured is the way to it. A prompt is `COUNT
// EVERY_MS`, and each of the words that it is answered with is the moment in which it was written.
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { anthropic } from '../../test/support/loopback-model/anthropic.ts'
import { chatCompletions } from '../../test/support/loopback-model/chat-completions.ts'
import { gemini } from '../../test/support/loopback-model/gemini.ts'
import { responses } from '../../test/support/loopback-model/responses.ts'

const dialects = [anthropic, responses, chatCompletions, gemini]

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://provider')
  let body = ''
  for await (const piece of request.setEncoding('utf8')) body += piece
  const dialect = dialects.find(({ path }) => path.test(pathname))
  if (!dialect) return void response.writeHead(404).end()
  const asked = dialect.read(JSON.parse(body), pathname)
  const [count = 1, everyMs = 0] = (asked.said.at(-1)?.text ?? '').split(' ').map(Number)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const stream = dialect.stream(asked)
  response.write(stream.begin())
  for (let said = 0; said < count; said += 1) {
    if (said > 0 && everyMs > 0) await wait(everyMs)
    response.write(stream.text(`${process.hrtime.bigint()};`))
  }
  response.end(stream.end(false))
}

const server = createServer({ noDelay: true }, (request, response) => {
  answer(request, response).catch(() => response.destroy())
}).listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
process.stdin.resume().once('end', () => process.exit(0))
