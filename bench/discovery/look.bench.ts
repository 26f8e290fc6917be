import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { percentile } from '../figure.ts'
import type { Figure } from '../figure.ts'
import { layOut } from './farm.ts'

const runs = 5
const programs = 2_000

interface Looked {
  programs: number
  known: number
  first: number
  again: number[]
}

/** Who is there, whose it is and what it is: on a machine that is made up, so that it is the same everywhere, and on this one. */
export default async function look(): Promise<Figure[]> {
  const farm = await layOut(programs)
  try {
    const made = await lookAt(farm.root, farm.folders)
    if (made.programs !== programs || made.known !== programs)
      throw new Error(`Of ${programs} programs ${made.programs} were found, and ${made.known} identified`)
    const here = await lookAt('/', (process.env['PATH'] ?? '').split(':'))
    return [...figures(made, 'a made-up machine'), ...figures(here, 'this machine')]
  } finally {
    await farm.remove()
  }
}

function figures({ programs, first, again }: Looked, where: string): Figure[] {
  const many = programs.toLocaleString('en')
  return [
    {
      name: `${many} programs of ${where}: scan, identify, classify, in a fresh process, p50`,
      ours: first,
      unit: 'ms',
      target: { most: 2_000 },
    },
    {
      name: '  the same again in that process, p95',
      ours: percentile(again, 0.95),
      unit: 'ms',
      target: { most: 300 },
    },
  ]
}

async function lookAt(root: string, folders: readonly string[]): Promise<Looked> {
  const looks: Looked[] = []
  for (let run = 0; run < runs; run += 1) {
    const script = join(import.meta.dirname, 'look-once.ts')
    const { stdout } = await promisify(execFile)(process.execPath, [script, root, folders.join(':')])
    looks.push(JSON.parse(stdout))
  }
  return {
    ...looks[0]!,
    first: percentile(
      looks.map(({ first }) => first),
      0.5,
    ),
    again: looks.flatMap(({ again }) => again),
  }
}
