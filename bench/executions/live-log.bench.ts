import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { startSignalbox } from '../../test/support/signalbox.ts'
import type { Figure } from '../figure.ts'
import { registerCommand, startExecution } from '../support/agents.ts'

const megabytes = 100
// Lines of different lengths, as fast as the pipe takes them.
const words =
  'seq -f "%g the quick brown fox jumps over the lazy dog, and says so in one line of a log" 1 1250000'
const command = ['/bin/sh', '-c', `${words} | head -c ${megabytes}000000`]

/**
 * A log of 100 MB from the program through keeper, worker, database and web to a reader, while it is written: everything that
 * happens to it on one machine, with nothing but its cores as the limit.
 */
export default async function liveLog(): Promise<Figure[]> {
  const box = await startSignalbox()
  try {
    const capabilityId = await registerCommand(box, 'flood', command, { maxOutputBytes: 1_000_000_000 })
    const id = await startExecution(box, capabilityId)
    const started = performance.now()
    const response = await fetch(`${box.url}/api/v1/executions/${id}/logs/stream`, {
      headers: { authorization: `Bearer ${box.token}` },
    })
    let [bytes, rest, last] = [0, '', '']
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + piece).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const [, event, data = 'null'] = /^event: (\w+)\ndata: (.*)$/m.exec(block) ?? []
        if (event === 'log' || event === 'catchup') bytes += Buffer.byteLength(JSON.parse(data).content)
        else last = data
      }
    }
    const seconds = (performance.now() - started) / 1000
    if (bytes !== megabytes * 1_000_000) throw new Error(`The reader got ${bytes} bytes, and then ${last}`)
    return [
      {
        name: `a log of ${megabytes} MB, live from program to reader`,
        ours: megabytes / seconds,
        unit: 'MB/s',
        peer: { name: 'the program alone', value: megabytes / (await alone()) },
      },
    ]
  } finally {
    await box.stop()
  }
}

async function alone(): Promise<number> {
  const started = performance.now()
  const child = spawn(command[0]!, command.slice(1), { stdio: ['ignore', 'pipe', 'ignore'] })
  child.stdout.resume()
  await once(child, 'close')
  return (performance.now() - started) / 1000
}
