import type { ServerResponse } from 'node:http'
import type { Progress } from '#contract/keeper.ts'
import type { Keeper } from './keeper.ts'

/**
 * One line at once and one whenever the spool has grown; ends after the line that says `ended`, or when somebody with a
 * higher epoch has come. Who reads slowly misses lines, never the last one.
 */
export function streamProgress(keeper: Keeper, id: string, epoch: number, response: ServerResponse): void {
  const execution = keeper.execution(id, epoch)
  let isWaiting = false

  const tell = () => {
    if (isWaiting || response.writableEnded) return
    const { state, offset, bytes } = execution.seen
    const hasTaken = response.write(`${JSON.stringify({ state, offset, bytes } satisfies Progress)}\n`)
    if (state === 'ended') return void response.end()
    if (hasTaken) return
    isWaiting = true
    response.once('drain', () => {
      isWaiting = false
      tell()
    })
  }
  const stop = keeper.watch(id, { epoch, onChange: tell, onReplaced: () => response.end() })
  response.once('close', stop)
  response.writeHead(200, { 'content-type': 'application/x-ndjson' })
  tell()
}
