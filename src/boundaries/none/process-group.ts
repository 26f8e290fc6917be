import { watchDescendants } from '#lib/descendants.ts'
import { looksForMarks, searchMarked } from '#lib/marked-processes.ts'
import { askAllToEnd, killAll } from '#lib/process-end-all.ts'
import { identify } from '#lib/process-identity.ts'
import type { ProcessIdentity } from '#lib/process-identity.ts'
import { listPids } from '#lib/process-list.ts'
import { statOf } from '#lib/process-stat.ts'
import type { EnclosedProgram } from '#lib/program.ts'
import type { Enclosure, StartProgram } from '../port.ts'

const lookMs = 1_000

/**
 * Keeps the processes of one program together by their group, by the mark for those that left it, and by descent for those
 * that dropped the mark. What drops all three between two looks escapes: only a namespace holds that.
 */
export function groupBoundary(start: StartProgram, markName: string): Enclosure {
  /** What a process leads that is the first of its group. */
  function watch(pid: number, mark: string): Pick<EnclosedProgram, 'pid' | 'end'> {
    const group = openGroup(pid)
    const descendants = watchDescendants(pid, lookMs)
    const end = async (graceMs: number) => {
      const isDead = await endAll(graceMs)
      descendants.close()
      return isDead
    }
    const endAll = async (graceMs: number) => {
      const findMarks = searchMarked(markName, [mark])
      const find = function* () {
        yield* findMarks()
        yield* group.members()
        yield* descendants.living()
      }
      if (await askAllToEnd(find, { graceMs, looks: looksForMarks })) return true
      group.kill()
      return killAll(find, looksForMarks)
    }
    let ended: Promise<boolean> | undefined
    return { pid, end: (graceMs) => (ended ??= end(graceMs)) }
  }

  return {
    isolation: 'process-group',
    async start(program, mark) {
      const running = await start({ ...program, env: { ...program.env, [markName]: mark } })
      return { ...running, ...watch(running.pid, mark) }
    },
    // Whatever gives a program a terminal lets it lead a group.
    enter: ({ file, argv }, mark) =>
      Promise.resolve({
        words: [file, ...argv],
        begun: (pid) => Promise.resolve(watch(pid, mark)),
        close: () => undefined,
      }),
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
