import type { Duplex } from 'node:stream'
import type { Hello } from '#contract/host.ts'

const longest = 4096
const patienceMs = 5_000
const purposes: ReadonlySet<string> = new Set(['serve', 'egress', 'forward'])
const newline = 0x0a

/** The first line of a connection from inside; what follows it stays to be read. Rejects at anything else. */
export function readHello(connection: Duplex): Promise<Hello> {
  const { promise, resolve, reject } = Promise.withResolvers<Hello>()
  let said = Buffer.alloc(0)
  const hear = (piece: Buffer) => {
    said = Buffer.concat([said, piece])
    const end = said.indexOf(newline)
    if (end === -1 ? said.length > longest : end > longest)
      return reject(new Error('its first line is endless'))
    if (end === -1) return
    stop()
    if (said.length > end + 1) connection.unshift(said.subarray(end + 1))
    try {
      resolve(parse(said.subarray(0, end).toString()))
    } catch (error) {
      reject(error instanceof Error ? error : new Error(String(error)))
    }
  }
  const hangUp = () => reject(new Error('it ended before it had said what it is for'))
  const late = setTimeout(() => reject(new Error('it does not say what it is for')), patienceMs)
  const stop = () => {
    clearTimeout(late)
    connection.off('data', hear).off('end', hangUp).off('close', hangUp).pause()
  }
  connection.on('data', hear).once('end', hangUp).once('close', hangUp)
  promise.catch(stop)
  return promise
}

function parse(line: string): Hello {
  const { protocol, purpose } = JSON.parse(line) ?? {}
  if (typeof protocol !== 'number' || !purposes.has(purpose))
    throw new Error('its first line says nothing that we know')
  return { protocol, purpose }
}
