import { readFileSync } from 'node:fs'
import { findMarked } from '#lib/marked-processes.ts'
import { endAll } from '#lib/process-end-all.ts'
import { identify } from '#lib/process-identity.ts'
import type { ProcessIdentity } from '#lib/process-identity.ts'
import { listPids } from '#lib/process-list.ts'
import type { Boundary, StartProgram } from '../port.ts'

/** Keeps the processes of one program together by their group, and by a mark for those that left it. */
export function groupBoundary(start: StartProgram, markName: string): Boundary {
  return {
    isolation: 'process-group',
    async start(program, mark) {
      const running = await start({ ...program, env: { ...program.env, [markName]: mark } })
      let ended: Promise<boolean> | undefined
      return {
        ...running,
        end: (graceMs) => (ended ??= endAll(() => findTree(running.pid, markName, mark), { graceMs })),
      }
    },
  }
}

function findTree(group: number, markName: string, mark: string): ProcessIdentity[] {
  const marked = findMarked(markName, [mark])
  const found = new Set(marked.map(({ pid }) => pid))
  const members = findGroup(group).filter(({ pid }) => !found.has(pid))
  return [...members, ...marked]
}

/** The living members of a process group; a corpse is none. */
function findGroup(group: number): ProcessIdentity[] {
  if (process.platform !== 'linux') return [identify(group) ?? []].flat()
  return listPids().flatMap((pid) => (groupOf(pid) === group ? (identify(pid) ?? []) : []))
}

function groupOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the program's name, which may itself contain blanks and brackets.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2])
  } catch {
    return undefined
  }
}
