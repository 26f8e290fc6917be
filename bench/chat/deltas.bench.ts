import { percentile } from '../figure.ts'
import type { Figure } from '../figure.ts'
import { askDirectly, askSignalbox } from './askers.ts'
import type { Answered } from './askers.ts'
import { directModel } from './providers.ts'
import { openStage } from './stage.ts'

const times = 10
/** As fast as a fast model speaks. */
const spoken = '200 10'
const atOnce = '200 0'

/** What Signalbox adds to a delta on its way, and to a whole answer. */
export default async function deltas(): Promise<Figure[]> {
  const { box, providerUrl, openSession, close } = await openStage()
  try {
    const model = directModel('anthropic', providerUrl)
    const sessionId = await openSession()
    for (let turn = 0; turn < 20; turn += 1) await askSignalbox(box, sessionId, '10 1')
    const both = async (prompt: string) => {
      const [ours, direct]: [Answered[], Answered[]] = [[], []]
      for (let turn = 0; turn < times; turn += 1) {
        ours.push(await askSignalbox(box, sessionId, prompt))
        direct.push(await askDirectly(model, prompt))
      }
      return { ours, direct }
    }
    const pace = await both(spoken)
    const flood = await both(atOnce)
    const [ages, bare] = [agesOf(pace.ours), agesOf(pace.direct)]
    return [
      {
        name: 'a delta from provider to client, p50',
        ours: percentile(ages, 0.5),
        unit: 'ms',
        peer: { name: 'the AI SDK alone', value: percentile(bare, 0.5) },
      },
      { name: 'added to a delta, p50', ours: percentile(ages, 0.5) - percentile(bare, 0.5), unit: 'ms' },
      { name: 'added to a delta, p95', ours: percentile(ages, 0.95) - percentile(bare, 0.95), unit: 'ms' },
      {
        name: 'an answer of 200 deltas at once, p50',
        ours: wholeOf(flood.ours),
        unit: 'ms',
        peer: { name: 'the AI SDK alone', value: wholeOf(flood.direct) },
      },
    ]
  } finally {
    await close()
  }
}

const agesOf = (answers: readonly Answered[]): number[] => answers.flatMap(({ ages }) => ages)

const wholeOf = (answers: readonly Answered[]): number =>
  percentile(
    answers.map(({ wholeMs }) => wholeMs),
    0.5,
  )
