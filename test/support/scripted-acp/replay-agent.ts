// An agent that says again what a real one said: `node replay-agent.ts RECORDING`. For every line that it receives it goes on in
// the recording to the next line that the other side wrote there, and says all that follows up to the one after.
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Message } from './wire.ts'

interface Recorded {
  dir: 'in' | 'out'
  msg: Message
}

const recording = readFileSync(process.argv[2] ?? '', 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line) as Recorded)
const ids = new Map<Message['id'], Message['id']>()
let at = 0

createInterface({ input: process.stdin })
  .on('line', (line) => goOn(JSON.parse(line) as Message))
  .once('close', () => process.exit(0))

function goOn(received: Message): void {
  const expected = recording[at]
  if (!expected || kindOf(expected.msg) !== kindOf(received)) {
    process.stderr.write(`Expected ${JSON.stringify(expected)}, not ${JSON.stringify(received)}\n`)
    process.exit(9)
  }
  if (received.method !== undefined) ids.set(expected.msg.id, received.id)
  for (at += 1; recording[at]?.dir === 'out'; at += 1) {
    const { msg } = recording[at]!
    const answer = msg.method === undefined ? { ...msg, id: ids.get(msg.id) } : msg
    process.stdout.write(`${JSON.stringify(answer)}\n`)
  }
}

/** A mode or a model may be chosen in more than one way. */
const kindOf = ({ method }: Message): string => method?.replace(/^session\/set_.*/, 'choose') ?? 'answer'
