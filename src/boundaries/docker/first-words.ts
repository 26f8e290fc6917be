import type { Engine } from './engine.ts'

/** What a container says before its host is there: why it did not come up. */
export interface FirstWords {
  /** Once it has ended. */
  all(): Promise<string>
  close(): void
}

const most = 16_384
const headerBytes = 8

/** Listens from before its start. Rejects with EngineRefused or EngineAway. */
export async function listenToStart(engine: Engine, name: string): Promise<FirstWords> {
  const query = { stream: '1', stdout: '1', stderr: '1' }
  const answer = await engine.follow('POST', `/containers/${name}/attach`, { query })
  const pieces: Buffer[] = []
  let size = 0
  answer.on('data', (piece: Buffer) => {
    if (size < most) pieces.push(piece)
    size += piece.length
  })
  const ended = new Promise<void>((resolve) => {
    answer
      .once('close', resolve)
      .once('end', resolve)
      .on('error', () => resolve())
  })
  return {
    async all() {
      await ended
      return textOf(Buffer.concat(pieces))
    },
    close: () => void answer.destroy(),
  }
}

/** Each piece has a header in front: one byte for the stream, three of nothing, four of length. */
function textOf(bytes: Buffer): string {
  const parts: Buffer[] = []
  for (let at = 0; at + headerBytes <= bytes.length;) {
    const end = at + headerBytes + bytes.readUInt32BE(at + 4)
    parts.push(bytes.subarray(at + headerBytes, end))
    at = end
  }
  return Buffer.concat(parts).toString()
}
