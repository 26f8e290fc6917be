import { join } from 'node:path'
import { openBridgeRoom } from '../../test/support/bridge.ts'
import type { TestBridge } from '../../test/support/bridge.ts'
import { percentile } from '../figure.ts'
import type { Figure } from '../figure.ts'
import { promptDirectly } from './direct.ts'

const ticking = join(import.meta.dirname, 'ticking-agent.ts')
const ticks = '2000 2'
const flood = { perSecond: 5_000, seconds: 5 }

/** What the bridge adds to a delta on its way, and whether it keeps up with an agent that floods it. */
export default async function deltas(): Promise<Figure[]> {
  const room = openBridgeRoom()
  try {
    const direct: number[] = []
    await promptDirectly([ticking], ticks, (delta) => direct.push(ageOf(delta)))
    const bridge = await room.start({ AGENT_ARGS: ticking })
    const bridged: number[] = []
    await promptBridge(bridge, '100 2', () => undefined) // it is warm, as the agent alone was after its first ticks
    await promptBridge(bridge, ticks, (delta) => bridged.push(ageOf(delta)))
    const added = (share: number) => percentile(bridged, share) - percentile(direct, share)
    const alone = { name: 'the agent’s stdout', value: percentile(direct, 0.5) }
    return [
      { name: 'a delta from agent to client, p50', ours: percentile(bridged, 0.5), unit: 'ms', peer: alone },
      { name: 'added by the bridge, p50', ours: added(0.5), unit: 'ms', target: { most: 2 } },
      { name: 'added by the bridge, p99', ours: added(0.99), unit: 'ms' },
      ...(await keepUp(await room.start())),
    ]
  } finally {
    await room.close()
  }
}

async function keepUp(bridge: TestBridge): Promise<Figure[]> {
  const total = flood.perSecond * flood.seconds
  let [text, started, frames] = ['', 0, 0]
  await promptBridge(bridge, `flood ${flood.perSecond} ${flood.seconds}`, (delta) => {
    started ||= performance.now()
    text += delta
    frames += 1
  })
  const seconds = (performance.now() - started) / 1000
  const numbers = text.split(';').slice(0, -1).map(Number)
  const inPlace = numbers.filter((number, place) => number === place + 1).length
  return [
    {
      name: `of ${total.toLocaleString('en')} updates at ${flood.perSecond.toLocaleString('en')}/s: lost or out of place`,
      ours: total - inPlace,
      unit: '',
      target: { most: 1 },
    },
    { name: 'frames for them', ours: frames, unit: '' },
    {
      name: 'how fast they came through',
      ours: numbers.length / seconds,
      unit: '/s',
      target: { least: 4_500 },
    },
  ]
}

const ageOf = (delta: string): number =>
  Number(process.hrtime.bigint() - BigInt(delta.slice(0, delta.indexOf(';')))) / 1e6

/** One turn, read as a chat client reads it. */
async function promptBridge(
  bridge: TestBridge,
  text: string,
  onDelta: (delta: string) => void,
): Promise<void> {
  const response = await bridge.fetch('/chat', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([{ id: 'u', role: 'user', parts: [{ type: 'text', text }] }]),
  })
  if (response.status !== 200)
    throw new Error(`The bridge answered ${response.status}: ${await response.text()}`)
  let rest = ''
  for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
    const frames = (rest + piece).split('\n\n')
    rest = frames.pop() ?? ''
    for (const frame of frames) {
      if (!frame.startsWith('data: {')) continue
      const chunk = JSON.parse(frame.slice(6)) as { type: string; delta?: string; errorText?: string }
      if (chunk.type === 'error') throw new Error(chunk.errorText)
      if (chunk.type === 'text-delta' && chunk.delta) onDelta(chunk.delta)
    }
  }
}
