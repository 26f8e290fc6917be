import { once } from 'node:events'

/** Writes and waits until there is room for more: a slow reader slows us down instead of filling our memory. */
export async function print(stream: NodeJS.WriteStream, text: string | Uint8Array): Promise<void> {
  if (!stream.write(text)) await once(stream, 'drain')
}

/** A word beside the output, on stderr, where it does not end up in somebody's file. */
export const note = (text: string): void => void process.stderr.write(`${text}\n`)

export const printJson = (value: unknown): Promise<void> =>
  print(process.stdout, `${JSON.stringify(value, null, 2)}\n`)
