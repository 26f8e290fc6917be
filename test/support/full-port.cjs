// Listens on the port that it is given and takes nobody: its queue is full once it says so. Ends when the file that it is given is there.
const { existsSync, writeSync } = require('node:fs')
const { connect, createServer } = require('node:net')

const [, , port, end] = process.argv
const queue = 1
const server = createServer().listen({ host: '127.0.0.1', port: Number(port), backlog: queue }, () => {
  const address = server.address()
  for (let n = 0; n < 8; n += 1) connect(address.port, '127.0.0.1').on('error', () => undefined)
  // Behind those, which begin in the next tick, and before anybody is taken.
  process.nextTick(() => {
    writeSync(1, `${address.port}\n`)
    const never = new Int32Array(new SharedArrayBuffer(4))
    while (!existsSync(end)) Atomics.wait(never, 0, 0, 50)
    process.exit(0)
  })
})
