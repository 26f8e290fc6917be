import { Writable } from 'node:stream'

/** From now on what anybody prints goes to standard error; only what is written to the stream that this gives back is our protocol. */
export function keepOutputToOurselves(): Writable {
  const write = process.stdout.write.bind(process.stdout)
  process.stdout.write = process.stderr.write.bind(process.stderr)
  return new Writable({
    write(piece: Buffer, _, done) {
      write(piece, () => done())
    },
  })
}
