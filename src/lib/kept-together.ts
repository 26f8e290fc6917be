import { watchDescendants } from './descendants.ts'
import { looksForMarks, searchMarked } from './marked-processes.ts'
import { askAllToEnd, killAll } from './process-end-all.ts'
import { identify } from './process-identity.ts'
import type { ProcessIdentity } from './process-identity.ts'
import { listPids } from './process-list.ts'
import { statOf } from './process-stat.ts'
import type { EnclosedProgram } from './program.ts'

const lookMs = 1_000

export interface KeptTogether extends Pick<EnclosedProgram, 'pid' | 'end'> {
  /** Whether nothing of it lives any more: then nobody is watched any more either. */
  isOver(): boolean
}

/**
 * Keeps the processes of one program together that leads a group: by the group, by the mark for those that left it, and by
 * descent for those that dropped the mark. What drops all three between two looks escapes: only a namespace holds that.
 */
export function keepTogether(pid: number, markName: string, mark: string): KeptTogether {
  const group = openGroup(pid)
  const descendants = watchDescendants(pid, lookMs)
  const end = async (graceMs: number) => {
    const isDead = await endAll(graceMs)
    descendants.close()
    return isDead
  }
  const search = () => {
    const findMarks = searchMarked(markName, [mark])
    return function* () {
      yield* findMarks()
      yield* group.members()
      yield* descendants.living()
    }
  }
  const endAll = async (graceMs: number) => {
    const find = search()
    if (await askAllToEnd(find, { graceMs, looks: looksForMarks })) return true
    group.kill()
    return killAll(find, looksForMarks)
  }
  let ended: Promise<boolean> | undefined
  return {
    pid,
    end: (graceMs) => (ended ??= end(graceMs)),
    isOver() {
      const isOver = search()().next().done === true
      if (isOver) descendants.close()
      return isOver
    },
  }
}

/** The group that this process leads, for as long as it has members: after that the number may become another's. */
function openGroup(pid: number) {
  const leader = identify(pid)
  const isOurs = () => {
    const now = identify(pid)
    return now === undefined || now.startTime === leader?.startTime
  }
  function* members(): Generator<ProcessIdentity> {
    if (!isOurs() || !signalGroup(pid, 0)) return
    for (const one of listPids()) {
      const identity = statOf(one)?.group === pid && identify(one)
      if (identity) yield identity
    }
  }
  return {
    /** The living ones; a corpse is none. */
    members,
    /** All at the same moment, so that none of them can fork. */
    kill() {
      if (!members().next().done) signalGroup(pid, 'SIGKILL')
    },
  }
}

/** False when there is no such group any more. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal)
  } catch {
    return false
  }
}
