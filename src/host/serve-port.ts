import { constants } from 'node:http2'
import type { ServerHttp2Stream } from 'node:http2'
import type { Duplex } from 'node:stream'
import { joinStreams } from '#lib/join-streams.ts'

/** Joins a stream of the line with a connection to a port. */
export async function joinPort(stream: ServerHttp2Stream, connect: () => Promise<Duplex>): Promise<void> {
  const port = await connect()
  if (stream.destroyed) return void port.destroy()
  stream.respond({ [constants.HTTP2_HEADER_STATUS]: 200 })
  joinStreams(stream, port)
}
