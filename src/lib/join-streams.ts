import type { Duplex } from 'node:stream'

/**
 * Lets what comes from each side go to the other. When the asker ends, the whole is over, since nobody is left to hear an answer;
 * when the answerer does, what it said is still delivered.
 */
export function joinStreams(asker: Duplex, answerer: Duplex): void {
  const over = () => {
    asker.destroy()
    answerer.destroy()
  }
  for (const side of [asker, answerer]) side.on('error', over).on('close', () => setImmediate(over))
  asker.once('end', () => answerer.destroy())
  asker.pipe(answerer, { end: false })
  answerer.pipe(asker)
}
