import { setTimeout as wait } from 'node:timers/promises'
import {
  allSources,
  areHealthy,
  areToldOf,
  cutSources,
  startThousand,
} from '../../test/support/thousand-sources.ts'
import type { Thousand } from '../../test/support/thousand-sources.ts'
import { percentile } from '../figure.ts'
import type { Figure } from '../figure.ts'

const times = 20

/** A thousand upstreams in the running product, from the file to health; three hundred of them cut, and back. */
export default async function connections(): Promise<Figure[]> {
  const thousand = await startThousand(2)
  try {
    return await measured(thousand)
  } finally {
    await thousand.stop()
  }
}

async function measured({ signalbox, write, until, memory, cut, mend }: Thousand): Promise<Figure[]> {
  await until(areHealthy(2))
  await wait(1_000)
  const before = memory()
  const begun = Date.now()
  await write(allSources)
  await until(({ summary }) => summary.total === allSources)
  const registered = secondsSince(begun)
  await until(areHealthy(allSources))
  const healthy = secondsSince(begun)
  await wait(5_000)
  const each = (memory() - before) / allSources
  const asked = {
    health: await median(() => signalbox.call('GET', '/mcp/health')),
    tools: await median(() => signalbox.call('GET', '/tools')),
  }
  const cutAt = await cut()
  await until(areToldOf(cutAt))
  const told = secondsSince(cutAt)
  const mended = Date.now()
  await mend()
  await until(areHealthy(allSources))
  const back = secondsSince(mended)
  const many = allSources.toLocaleString('en')
  return [
    {
      name: `${many} sources in the YAML file: registered`,
      ours: registered,
      unit: 's',
      target: { most: 5 },
    },
    { name: '  all of them healthy', ours: healthy, unit: 's' },
    { name: '  memory of the worker for each', ours: each, unit: 'KB' },
    { name: '  GET mcp/health, p50', ours: asked.health, unit: 'ms' },
    { name: '  GET tools, p50', ours: asked.tools, unit: 'ms' },
    { name: `${cutSources} of ${many} cut: told by health`, ours: told, unit: 's', target: { most: 5 } },
    { name: '  all of them healthy again, after they can be', ours: back, unit: 's' },
  ]
}

const secondsSince = (then: number): number => (Date.now() - then) / 1_000

async function median(work: () => Promise<unknown>): Promise<number> {
  const took: number[] = []
  for (let count = 0; count < times; count += 1) {
    const since = performance.now()
    await work()
    took.push(performance.now() - since)
  }
  return percentile(took, 0.5)
}
