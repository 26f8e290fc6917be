import { readFileSync, readdirSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { startSignalbox } from '../../test/support/signalbox.ts'
import type { Figure } from '../figure.ts'

/** Memory of everything `signalbox up` runs, a few seconds after it was last asked anything. PSS, so that shared pages count once. */
export default async function memory(): Promise<Figure[]> {
  const box = await startSignalbox()
  try {
    for (let n = 0; n < 100; n++) await box.call('POST', '/tasks', { title: `Task ${n}` })
    await wait(5_000)
    const all = treeOf(box.process.pid!)
    const figures = all.map(({ pid, name }) => ({
      name: `idle memory, ${name}`,
      ours: pssOf(pid),
      unit: 'MB',
    }))
    const total = figures.reduce((sum, figure) => sum + figure.ours, 0)
    const grouped = Map.groupBy(figures, (figure) => figure.name)
    return [
      { name: 'idle memory of everything (PSS)', ours: total, unit: 'MB', target: { most: 400 } },
      ...[...grouped].map(([name, group]) => ({
        name: group.length > 1 ? `${name} (${group.length} processes)` : name,
        ours: group.reduce((sum, figure) => sum + figure.ours, 0),
        unit: 'MB',
      })),
    ]
  } finally {
    await box.stop()
  }
}

function treeOf(root: number): { pid: number; name: string }[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
        return [{ pid: Number(pid), parent: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) }]
      } catch {
        return [] // it ended meanwhile
      }
    })
  const tree = [root]
  for (const pid of tree)
    tree.push(...parents.filter((entry) => entry.parent === pid).map((entry) => entry.pid))
  return tree.map((pid) => ({ pid, name: nameOf(pid) }))
}

function nameOf(pid: number): string {
  const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  const script = words.find((word) => word.endsWith('.ts'))
  return script?.replace(/.*\//, '').replace('signalbox.ts', 'supervisor').replace('.ts', '') ?? 'postgres'
}

const pssOf = (pid: number) =>
  Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) / 1024
