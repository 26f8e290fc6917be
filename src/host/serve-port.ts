import { constants } from 'node:http2'
import type { ServerHttp2Stream } from 'node:http2'
import { pipeline } from 'node:stream'
import type { Duplex } from 'node:stream'

/** Joins a stream of the line with a connection to a port; both ways, each until its end. */
export async function joinPort(stream: ServerHttp2Stream, connect: () => Promise<Duplex>): Promise<void> {
  const port = await connect()
  if (stream.destroyed) return void port.destroy()
  stream.respond({ [constants.HTTP2_HEADER_STATUS]: 200 })
  const hangUp = (error?: Error | null) => {
    if (!error) return
    port.destroy()
    stream.destroy()
  }
  pipeline(stream, port, hangUp)
  pipeline(port, stream, hangUp)
}
