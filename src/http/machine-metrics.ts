import { z } from 'zod'
import { askAll } from './machine-answers.ts'
import type { Parts } from './room.ts'

/** What the registries of tools and code mode count, on all machines that answer, as one text for Prometheus. */
export async function machineMetrics(parts: Pick<Parts, 'pool' | 'machineId'>): Promise<string> {
  const texts = await Promise.all([
    textsOf(parts, { path: '/tools/metrics', isEverywhere: false }),
    textsOf(parts, { path: '/code/metrics', isEverywhere: true }),
  ])
  return joinMetrics(texts.flat())
}

async function textsOf(
  { pool, machineId }: Pick<Parts, 'pool' | 'machineId'>,
  asked: { path: string; isEverywhere: boolean },
): Promise<string[]> {
  const question = { ...asked, body: {}, shape: z.string(), first: machineId, patienceMs: 2_000 }
  const answers = await askAll(pool.db, question)
  return answers.flatMap((answer) => ('data' in answer ? [answer.data] : []))
}

/** A figure is described once, whoever has it. */
export function joinMetrics(texts: readonly string[]): string {
  const families = new Map<string, { head: string[]; samples: string[] }>()
  for (const text of texts)
    for (const family of text.split(/^(?=# HELP )/m)) {
      const lines = family.split('\n').filter((line) => line !== '')
      const name = /^# HELP (\S+)/.exec(family)?.[1]
      if (name === undefined) continue
      const known = families.get(name) ?? { head: lines.filter((line) => line.startsWith('#')), samples: [] }
      known.samples.push(...lines.filter((line) => !line.startsWith('#')))
      families.set(name, known)
    }
  return [...families.values()].map(({ head, samples }) => `${[...head, ...samples].join('\n')}\n`).join('')
}
