// An app as people have them, for tests of previews: pages, cookies, a stream of events, a socket that echoes, and bad habits.
const { createHash } = require('node:crypto')
const { createServer } = require('node:http')

const big = 32 * 1024 * 1024

const routes = {
  '/': (_, response) => response.setHeader('content-type', 'text/html').end('<h1>The app</h1>'),
  '/seen': (request, response) =>
    response.setHeader('content-type', 'application/json').end(
      JSON.stringify({
        method: request.method,
        url: request.url,
        headers: request.headers,
        raw: request.rawHeaders,
      }),
    ),
  '/cookies': (_, response) => {
    response.setHeader('set-cookie', [
      'mine=1; Path=/; Domain=localhost; HttpOnly',
      'signalbox_preview=stolen; Path=/',
      'plain=2',
    ])
    response.end()
  },
  '/events': (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: first\n\n')
    process.once('SIGUSR2', () => response.end('data: second\n\n'))
  },
  '/next-event': (_, response) => {
    process.kill(process.pid, 'SIGUSR2')
    response.end()
  },
  '/count': (request, response) => {
    let bytes = 0
    const hash = createHash('sha256')
    request.on('data', (piece) => {
      bytes += piece.length
      hash.update(piece)
    })
    request.on('end', () => response.end(JSON.stringify({ bytes, sha256: hash.digest('hex') })))
  },
  '/big': (_, response) => response.setHeader('content-length', big).end(Buffer.alloc(big, 'x')),
  '/break-off': (_, response) => {
    // Without a length only the way it ends tells whether that was all.
    response.writeHead(200)
    response.write('the beginning', () => response.destroy())
  },
  '/silent': (request) => request.socket.destroy(),
  '/die': () => {
    process.stdout.write('<b>dying</b> now\n')
    setTimeout(() => process.exit(3), 10)
  },
}

const server = createServer((request, response) => {
  const answer = routes[request.url.split('?')[0]]
  if (answer) return answer(request, response)
  response.statusCode = 404
  response.end(`the app has nothing at ${request.url}`)
})

server.on('checkContinue', (request, response) => {
  if (request.headers['x-refuse']) return response.writeHead(417, { connection: 'close' }).end()
  response.writeContinue()
  server.emit('request', request, response)
})

// As much of a WebSocket as it takes to echo short frames.
server.on('upgrade', (request, socket) => {
  if (request.url !== '/socket')
    return socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 4\r\n\r\nno!\n')
  const key = request.headers['sec-websocket-key']
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
  )
  socket.on('error', () => undefined)
  socket.on('data', (frame) => {
    const length = frame[1] & 0x7f
    const mask = frame.subarray(2, 6)
    const payload = frame.subarray(6, 6 + length).map((byte, at) => byte ^ mask[at % 4])
    socket.write(Buffer.concat([Buffer.from([frame[0], length]), payload]))
    if ((frame[0] & 0x0f) === 8) socket.end()
  })
})

server.listen(Number(process.env.PORT), process.env.HOST, () => process.stdout.write('the app is up\n'))
