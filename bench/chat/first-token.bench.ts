import { percentile } from '../figure.ts'
import type { Figure } from '../figure.ts'
import { askDirectly, askPlainly, askSignalbox } from './askers.ts'
import { directModel, providers } from './providers.ts'
import type { Provider } from './providers.ts'
import { openStage } from './stage.ts'
import type { Stage } from './stage.ts'

const warmUp = 30
const turns = 150
const turnsOfOthers = 40
const prompt = '1'

/** What Signalbox adds until the first words are there, to the time in which the provider has them there. */
export default async function firstToken(): Promise<Figure[]> {
  const stage = await openStage()
  try {
    const figures = [...(await mainFigures(stage))]
    for (const provider of providers.filter((name) => name !== 'anthropic'))
      figures.push(await addedFor(stage, provider))
    return figures
  } finally {
    await stage.close()
  }
}

async function mainFigures(stage: Stage): Promise<Figure[]> {
  const { ours, direct, plain } = await byTurns(stage, 'anthropic', turns)
  const added = (share: number, peer = direct) => percentile(ours, share) - percentile(peer, share)
  const peers = [
    { name: 'the AI SDK, asking the provider', value: percentile(direct, 0.5) },
    { name: 'fetch, asking the provider', value: percentile(plain, 0.5) },
  ]
  return [
    { name: 'asked → first words, p50', ours: percentile(ours, 0.5), unit: 'ms', peer: peers },
    { name: 'added to the AI SDK alone, p50', ours: added(0.5), unit: 'ms', target: { most: 15 } },
    { name: 'the same, p95', ours: added(0.95), unit: 'ms' },
    { name: 'added to fetch alone, p50', ours: added(0.5, plain), unit: 'ms' },
  ]
}

async function addedFor(stage: Stage, provider: Provider): Promise<Figure> {
  const { ours, direct } = await byTurns(stage, provider, turnsOfOthers)
  const added = percentile(ours, 0.5) - percentile(direct, 0.5)
  return { name: `added with ${provider}, p50`, ours: added, unit: 'ms' }
}

/** One after the other, so that whatever else the machine does is shared by all. */
async function byTurns({ box, providerUrl, openSession }: Stage, provider: Provider, count: number) {
  const model = directModel(provider, providerUrl)
  const sessionId = await openSession(provider)
  const [ours, direct, plain]: [number[], number[], number[]] = [[], [], []]
  for (let turn = -warmUp; turn < count; turn += 1) {
    const times = [
      await askSignalbox(box, sessionId, prompt),
      await askDirectly(model, prompt),
      await askPlainly(providerUrl, prompt),
    ] as const
    if (turn < 0) continue // warm, as on any day but the first minute
    for (const [at, into] of [ours, direct, plain].entries()) into.push(times[at]!.firstMs)
  }
  return { ours, direct, plain }
}
