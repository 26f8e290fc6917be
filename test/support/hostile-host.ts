// A host that means harm: `node hostile-host.ts SOCKET HOW`. It dials as a host does, and then does HOW.
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http2'
import type { ServerHttp2Stream } from 'node:http2'
import { connect } from 'node:net'
import type { Socket } from 'node:net'

const [, , path = '', how = ''] = process.argv
process.on('uncaughtException', () => undefined)

const hello = (purpose = 'serve') => `${JSON.stringify({ protocol: 1, purpose, pid: 1, node: 'v1' })}\n`
const dial = (): Socket => connect(path).on('error', () => undefined)

/** Answers HTTP/2, each request by `answer`. */
function serve(answer: (stream: ServerHttp2Stream, path: string) => void): void {
  const server = createServer({ settings: { initialWindowSize: 1 << 20 } })
  server.on('sessionError', () => undefined)
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined)
    answer(stream, String(headers[':path']))
  })
  const line = dial()
  line.write(hello())
  server.emit('connection', line)
}

/** As fast as it is taken. */
function flood(to: { write(bytes: Buffer): boolean; once(event: 'drain', go: () => void): unknown }): void {
  const piece = Buffer.alloc(1 << 16, 'x')
  const go = () => {
    for (let n = 0; n < 64; n += 1) if (!to.write(piece)) return void to.once('drain', go)
    setImmediate(go)
  }
  go()
}

const head = (kind: number, length: number) => {
  const bytes = Buffer.alloc(5)
  bytes.writeUInt8(kind)
  bytes.writeUInt32BE(length, 1)
  return bytes
}
const told = (kind: number, body: object) => {
  const text = Buffer.from(JSON.stringify(body))
  return Buffer.concat([head(kind, text.length), text])
}
/** A program that is started, and then says this. */
const program = (stream: ServerHttp2Stream, ...frames: Buffer[]) => {
  stream.respond({ ':status': 200 })
  stream.write(Buffer.concat([told(10, { pid: 1 }), ...frames]))
}

const ways: Record<string, () => void> = {
  'says nothing': () => void dial(),
  'never ends its first line': () => flood(dial()),
  'speaks another protocol': () => void dial().write('{"protocol":99,"purpose":"serve"}\n'),
  'says garbage first': () => void dial().write('}{\n'),
  'serves garbage': () => {
    const line = dial()
    line.write(hello())
    flood({ write: () => line.write(randomBytes(1 << 16)), once: (event, go) => line.once(event, go) })
  },
  'answers nothing': () => serve(() => undefined),
  'answers without end': () =>
    serve((stream) => {
      stream.respond({ ':status': 200 })
      flood(stream)
    }),
  'answers with half an answer': () =>
    serve((stream) => {
      stream.respond({ ':status': 200 })
      stream.end('{"data": {"content": "')
    }),
  'answers with something else': () =>
    serve((stream) => {
      stream.respond({ ':status': 200 })
      stream.end('[[[[7]]]]')
    }),
  'refuses in a strange way': () =>
    serve((stream) => {
      stream.respond({ ':status': 422 })
      stream.end(JSON.stringify({ error: { code: { toString: 1 }, message: null } }))
    }),
  'has endless headers': () =>
    serve((stream) => {
      const headers = Array.from({ length: 100 }, (_, n) => [`x-${n}`, 'x'.repeat(600)])
      stream.respond({ ':status': 200, ...Object.fromEntries(headers) })
      stream.end('{}')
    }),
  'lies about sizes': () => serve((stream) => program(stream, head(12, 0xffff_ffff), Buffer.alloc(100))),
  'says frames that there are not': () => serve((stream) => program(stream, told(99, {}))),
  'ends a program strangely': () =>
    serve((stream) => program(stream, told(14, { exitCode: 'x', signal: 'y' }))),
  'starts a program without a pid': () =>
    serve((stream) => {
      stream.respond({ ':status': 200 })
      stream.write(told(10, { pid: -5 }))
    }),
  'ends nothing': () =>
    serve((stream, asked) => {
      if (asked !== '/programs/end') return program(stream)
      stream.respond({ ':status': 200 })
      stream.end(JSON.stringify({ isDead: false }))
    }),
  'streams garbage': () =>
    serve((stream) => {
      stream.respond({ ':status': 200 })
      stream.end('{"type":"stdout","text":"a"}\n{"type":"nothing"}\n')
    }),
  'streams without a line': () =>
    serve((stream) => {
      stream.respond({ ':status': 200 })
      flood(stream)
    }),
  'hangs up in a stream': () =>
    serve((stream) => {
      stream.respond({ ':status': 200 })
      stream.write('{"type":"stdout","text":"a"}\n')
      setTimeout(() => process.exit(), 50)
    }),
  'dials without end': () => {
    serve((stream) => {
      stream.respond({ ':status': 200 })
      stream.end('{"status":"ok"}')
    })
    for (let n = 0; n < 2_000; n += 1) dial()
  },
  'is there twice': () => {
    serve((stream) => {
      stream.respond({ ':status': 200 })
      stream.end('{"status":"the first"}')
    })
    setTimeout(
      () =>
        serve((stream) => {
          stream.respond({ ':status': 200 })
          stream.end('{"status":"the second"}')
        }),
      50,
    )
  },
}

setInterval(() => undefined, 1_000)
ways[how]?.()
