import { setTimeout as wait } from 'node:timers/promises'
import { memoryOf, totalMb } from '../../test/support/memory.ts'
import { startSignalbox } from '../../test/support/signalbox.ts'
import type { Figure } from '../figure.ts'

/** What looks at programs after a start has gone by then. */
const restMs = 45_000

/** Memory of everything `signalbox up` runs, a while after it was last asked anything. */
export default async function memory(): Promise<Figure[]> {
  const box = await startSignalbox()
  try {
    for (let n = 0; n < 100; n++) await box.call('POST', '/tasks', { title: `Task ${n}` })
    await wait(restMs)
    const all = memoryOf(box)
    return [
      { name: 'idle memory of everything (PSS)', ours: totalMb(all), unit: 'MB', target: { most: 400 } },
      ...[...Map.groupBy(all, ({ name }) => name)].map(([name, group]) => ({
        name: `idle memory, ${name}${group.length > 1 ? ` (${group.length} processes)` : ''}`,
        ours: totalMb(group),
        unit: 'MB',
      })),
    ]
  } finally {
    await box.stop()
  }
}
