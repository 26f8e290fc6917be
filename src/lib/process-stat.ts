import { readFileSync, readlinkSync } from 'node:fs'

/** What Linux tells of a process in /proc/PID/stat; undefined when there is none. */
export interface ProcessStat {
  /** `R`, `S`, `D`, `T` stopped, `Z` a corpse. */
  state: string
  group: number
}

export function statOf(pid: number): ProcessStat | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the program's name, which may itself contain blanks and brackets.
    const [state = '', , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { state, group: Number(group) }
  } catch {
    return undefined
  }
}

/** Those that have not been collected by it; on Linux. */
export function childrenOf(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return children.split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

/** Zero when it is gone, or has none that we can see. */
export function parentOf(pid: number): number {
  try {
    const [, parent] = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(parent ?? 0)
  } catch {
    return 0
  }
}

/** What a process is called in the innermost pid namespace that it is in. */
export function pidInside(pid: number): number | undefined {
  try {
    const [, names = ''] = /^NSpid:\s+(.+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(names.split(/\s+/).at(-1))
  } catch {
    return undefined
  }
}

/** The name of a namespace that a process is in. Undefined when it is gone, or another user's. */
export function namespaceOf(pid: number | 'self', kind: 'pid' | 'user'): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/${kind}`)
  } catch {
    return undefined
  }
}
