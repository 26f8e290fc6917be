import { findMarked } from '#lib/marked-processes.ts'
import { askAllToEnd, killAll } from '#lib/process-end-all.ts'
import { identify } from '#lib/process-identity.ts'
import type { ProcessIdentity } from '#lib/process-identity.ts'
import { listPids } from '#lib/process-list.ts'
import { statOf } from '#lib/process-stat.ts'
import type { Boundary, StartProgram } from '../port.ts'

/** Keeps the processes of one program together by their group, and by the mark for those that left it. */
export function groupBoundary(start: StartProgram, markName: string): Boundary {
  return {
    isolation: 'process-group',
    async start(program, mark) {
      const running = await start({ ...program, env: { ...program.env, [markName]: mark } })
      const group = openGroup(running.pid)
      const find = function* () {
        yield* group.members()
        yield* findMarked(markName, [mark])
      }
      const end = async (graceMs: number) => {
        if (await askAllToEnd(find, graceMs)) return true
        group.kill()
        return killAll(find)
      }
      let ended: Promise<boolean> | undefined
      return { ...running, end: (graceMs) => (ended ??= end(graceMs)) }
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
    if (!isOurs()) return
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
      try {
        if (!members().next().done) process.kill(-pid, 'SIGKILL')
      } catch {
        // they ended by themselves in between
      }
    },
  }
}
