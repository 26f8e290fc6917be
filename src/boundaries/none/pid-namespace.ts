import { setTimeout as wait } from 'node:timers/promises'
import { findMarked } from '#lib/marked-processes.ts'
import { askAllToEnd, killAll, killPatienceMs } from '#lib/process-end-all.ts'
import type { Find } from '#lib/process-end-all.ts'
import { signalProcess } from '#lib/process-end.ts'
import { isAlive } from '#lib/process-identity.ts'
import { NotStarted } from '#lib/program.ts'
import type { EnclosedProgram } from '#lib/program.ts'
import type { Enclosure, StartProgram } from '../port.ts'
import { watchEntrance } from './entrance.ts'
import type { Entrance } from './entrance.ts'
import { openNamespace } from './namespace.ts'
import type { NamespaceTools, PidNamespace } from './namespace.ts'

/**
 * A pid namespace for each program: the kernel itself ends all that is in it, also when we are killed. The program is run in it
 * by nsenter and not by bubblewrap, which tells an end by a signal as an exit code.
 */
export async function namespaceBoundary(
  start: StartProgram,
  markName: string,
  tools: NamespaceTools,
): Promise<Enclosure> {
  const take = await keepOneReady(tools)

  /** What runs in there, by the nsenter that waits for it. */
  async function watch(
    namespace: PidNamespace,
    mark: string,
    outer: { pid: number; exited: Promise<unknown> },
  ): Promise<Pick<EnclosedProgram, 'pid' | 'end'>> {
    const entrance = await watchEntrance(outer)
    const findMarks = () => findMarked(markName, [mark]).filter(({ pid }) => pid !== outer.pid)
    let ended: Promise<boolean> | undefined
    return {
      pid: entrance.innerPid,
      end: (graceMs) => (ended ??= endInside(namespace, entrance, { findMarks, graceMs })),
    }
  }

  return {
    isolation: 'pid-namespace',
    async start(program, mark) {
      const namespace = await take()
      try {
        const env = { ...program.env, [markName]: mark }
        const running = await start({ ...program, env }, namespace.enter(program.cwd))
        return { ...running, ...(await watch(namespace, mark, running)) }
      } catch (error) {
        signalProcess(namespace.init, 'SIGKILL')
        throw error
      }
    },
    async enter({ file, argv, cwd }, mark) {
      const namespace = await take()
      return {
        words: [...namespace.enterOnTerminal(cwd), file, ...argv],
        begun: (pid, exited) => watch(namespace, mark, { pid, exited }),
        close: () => signalProcess(namespace.init, 'SIGKILL'),
      }
    },
  }
}

/** The next one is made while nobody waits for it. */
async function keepOneReady(tools: NamespaceTools): Promise<() => Promise<PidNamespace>> {
  let spare: PidNamespace | undefined = await openNamespace(tools)
  const refill = () =>
    void openNamespace(tools)
      .then((one) => (spare = one))
      .catch(() => undefined)
  return async () => {
    const ready = spare
    spare = undefined
    try {
      if (ready?.isCurrent() && isAlive(ready.init)) return ready
      if (ready) signalProcess(ready.init, 'SIGKILL')
      return await openNamespace(tools)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new NotStarted(`A pid namespace could not be made: ${reason}`)
    } finally {
      refill()
    }
  }
}

interface Ending {
  /** Those with the mark, wherever they are. */
  findMarks: Find
  graceMs: number
}

async function endInside(
  namespace: PidNamespace,
  entrance: Entrance,
  { findMarks, graceMs }: Ending,
): Promise<boolean> {
  const find = function* () {
    yield* namespace.members()
    yield* findMarks()
  }
  await askAllToEnd(find, { graceMs, looks: 1 })
  signalProcess(namespace.init, 'SIGKILL')
  await Promise.race([namespace.gone, wait(killPatienceMs, undefined, { ref: false })])
  if (isAlive(namespace.init) || !(await killAll(findMarks, 1))) return false
  return entrance.close()
}
