import { createServer } from 'node:http'
import { Server } from 'socket.io'
import { openCallRate } from '../call-rate.ts'
import { openHolds } from '../held-open.ts'
import type { Parts } from '../room.ts'
import { keepInBounds } from './bounds.ts'
import { openConnection } from './connection.ts'

export type Engine = Server['engine']

/** Beyond this a connection is cut off while it comes. */
const longestRead = 4 * 1_048_576
const perMinute = 240

/** What speaks socket.io. */
export function openEngine(parts: Parts): Engine {
  const io = new Server({
    serveClient: false,
    maxHttpBufferSize: longestRead,
    connectTimeout: 10_000,
    pingInterval: 15_000,
  })
  // It is never listened on: who may come in is decided before the engine sees a request.
  io.attach(createServer())
  io.engine.on('connection', keepInBounds)
  const needs = { ...parts, hold: openHolds(parts), rate: openCallRate({ perMinute }) }
  io.on('connection', (socket) => openConnection(needs, socket))
  return io.engine
}
