import { readFileSync, readdirSync } from 'node:fs'
import type { Signalbox } from './signalbox.ts'

export interface ProcessMemory {
  pid: number
  /** `web`, `keeper`, `postgres`, `tmux` … */
  name: string
  /** PSS, so that shared pages count once, in MB. */
  mb: number
  /** What of it is its own, and in no file. */
  ownMb: number
}

/** Everything that runs for this Signalbox, keepers and what they hold included. */
export function memoryOf({ process: supervisor, home }: Signalbox): ProcessMemory[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => looked(Number(pid)) ?? [])
  // Those who have lost their parent name the home.
  const tree = all
    .filter(({ pid, says }) => pid === supervisor.pid || says.includes(home))
    .map(({ pid }) => pid)
  for (const one of tree)
    tree.push(...all.flatMap(({ pid, parent }) => (parent === one && !tree.includes(pid) ? [pid] : [])))
  return all.flatMap(({ pid, words }) => {
    const memory = tree.includes(pid) ? inUse(pid) : undefined
    return memory ? [{ pid, name: nameOf(words), ...memory }] : []
  })
}

export const totalMb = (all: readonly ProcessMemory[]): number => all.reduce((sum, { mb }) => sum + mb, 0)

function looked(pid: number): { pid: number; parent: number; words: string[]; says: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    const says = words.join(' ') + readFileSync(`/proc/${pid}/environ`, 'utf8')
    return { pid, parent: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]), words, says }
  } catch {
    return undefined // it ended meanwhile, or is another's
  }
}

function inUse(pid: number): { mb: number; ownMb: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
    const mb = (key: string) => Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(text)?.[1]) / 1024
    return { mb: mb('Pss'), ownMb: mb('Pss_Anon') }
  } catch {
    return undefined
  }
}

function nameOf(words: readonly string[]): string {
  const script = words.find((word) => /\.(?:ts|mjs)$/.test(word))
  if (script !== undefined)
    return script
      .replace(/.*\//, '')
      .replace('signalbox.ts', 'supervisor')
      .replace(/\.\w+$/, '')
  const program = words[0]?.replace(/.*\//, '').split(/[: ]/)[0] ?? ''
  return ['postgres', 'tmux'].includes(program) ? program : 'walls and what is in them'
}
