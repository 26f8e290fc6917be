import { percentile } from '../figure.ts'
import type { Figure } from '../figure.ts'
import { askDirectly, askSignalbox } from './askers.ts'
import type { Answered } from './askers.ts'
import { directModel } from './providers.ts'
import { openStage } from './stage.ts'
import type { Stage } from './stage.ts'

const chats = 20
const rounds = 10
const turnsOfHistory = 200
const compared = 50
const prompt = '1'

/** What it is like when others chat too, and when much has been said before. */
export default async function manyAndLong(): Promise<Figure[]> {
  const stage = await openStage()
  try {
    return [...(await atOnce(stage)), await withHistory(stage)]
  } finally {
    await stage.close()
  }
}

async function atOnce({ box, providerUrl, openSession }: Stage): Promise<Figure[]> {
  const model = directModel('anthropic', providerUrl)
  const sessions = await Promise.all(Array.from({ length: chats }, () => openSession()))
  const [ours, direct]: [Answered[], Answered[]] = [[], []]
  for (let round = -3; round < rounds; round += 1) {
    const told = await Promise.all(sessions.map((id) => askSignalbox(box, id, prompt)))
    const bare = await Promise.all(sessions.map(() => askDirectly(model, prompt)))
    if (round < 0) continue
    ours.push(...told)
    direct.push(...bare)
  }
  const first = (answers: readonly Answered[], share: number) =>
    percentile(
      answers.map(({ firstMs }) => firstMs),
      share,
    )
  return [0.5, 0.95].map((share) => ({
    name: `${chats} chats at once: asked → first words, p${share * 100}`,
    ours: first(ours, share),
    unit: 'ms',
    peer: { name: `${chats} × the AI SDK alone`, value: first(direct, share) },
  }))
}

/** A session in which much was said beside one in which little was, by turns. */
async function withHistory({ box, openSession }: Stage): Promise<Figure> {
  const [long, short]: [number[], number[]] = [[], []]
  const old = await openSession()
  for (let turn = 0; turn < turnsOfHistory; turn += 1) await askSignalbox(box, old, '20')
  for (let turn = 0; turn < compared; turn += 1) {
    const fresh = await openSession()
    await askSignalbox(box, fresh, '20')
    long.push((await askSignalbox(box, old, prompt)).firstMs)
    short.push((await askSignalbox(box, fresh, prompt)).firstMs)
  }
  return {
    name: `first words after ${turnsOfHistory} turns, p50`,
    ours: percentile(long, 0.5),
    unit: 'ms',
    peer: { name: 'after one turn', value: percentile(short, 0.5) },
  }
}
