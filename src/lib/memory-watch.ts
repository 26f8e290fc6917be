import { readFileSync, readdirSync } from 'node:fs'
import { searchMarked } from './marked-processes.ts'
import type { Find } from './process-end-all.ts'

export interface MemoryLimit {
  bytes: number
  /** The variable by which those are known that come of it, whoever is their parent now. */
  mark: string
  onOver: (usedBytes: number) => void
  everyMs?: number
}

/** After so many looks nobody is taken for a stranger any more because of a pid that was somebody else's. */
const looksAlike = 60

/** Looks now and then how much memory a process and all that came of it have for themselves. Tells once when that is too much. */
export function watchMemory(
  root: number,
  { bytes, mark, onOver, everyMs = 1_000 }: MemoryLimit,
): { end(): void } {
  let find: Find | undefined
  let looks = 0
  const timer = setInterval(() => {
    if (looks % looksAlike === 0) find = searchOf(root, mark)
    looks += 1
    const marked = find ? [...find()].map(({ pid }) => pid) : []
    const usedBytes = memoryOf(familyOf([root, ...marked]))
    if (usedBytes <= bytes) return
    clearInterval(timer)
    onOver(usedBytes)
  }, everyMs)
  return { end: () => clearInterval(timer) }
}

/** For those that carry the same mark as this process. */
function searchOf(root: number, mark: string): Find | undefined {
  try {
    const entries = readFileSync(`/proc/${root}/environ`, 'utf8').split('\0')
    const entry = entries.find((one) => one.startsWith(`${mark}=`))
    return entry === undefined ? undefined : searchMarked(mark, [entry.slice(mark.length + 1)])
  } catch {
    return undefined
  }
}

function familyOf(members: readonly number[]): Iterable<number> {
  const todo = [...members]
  const found = new Set<number>()
  for (const pid of todo) {
    if (found.has(pid)) continue
    found.add(pid)
    todo.push(...childrenOf(pid))
  }
  return found
}

/** A child belongs to the thread that has started it. */
function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    )
  } catch {
    return []
  }
}

/** Without what it shares with others: programs and libraries are in memory once, however many use them. */
function memoryOf(pids: Iterable<number>): number {
  let kilobytes = 0
  for (const pid of pids) {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8')
      for (const [, amount] of status.matchAll(/^(?:RssAnon|VmSwap):\s+(\d+) kB$/gm))
        kilobytes += Number(amount)
    } catch {
      // it has just ended
    }
  }
  return kilobytes * 1024
}
