import { writeFileSync } from 'node:fs'
import { keepTogether } from '#lib/kept-together.ts'
import type { KeptTogether } from '#lib/kept-together.ts'
import { endMarked } from '#lib/marked-processes.ts'
import type { EnclosedProgram, Program } from '#lib/program.ts'
import type { Pipes } from './pipes.ts'
import { startProgram } from './start-program.ts'

/** What the host has started and that lives. */
export interface Programs {
  readonly count: number
  /** Rejects with NotStarted. The mark is added to the environment of the program, and so of all its descendants. */
  start(program: Program, mark: string): Promise<EnclosedProgram>
  /** Ends all that carry this mark. False when something outlived SIGKILL; true when there is nothing. */
  end(mark: string, graceMs: number): Promise<boolean>
  endAll(graceMs: number): Promise<void>
}

export function openPrograms(markName: string, pipes?: Pipes): Programs {
  const all = new Map<EnclosedProgram, string>()
  /** They have ended themselves, and something that they started lives on, or did a while ago. */
  const survived = new Map<EnclosedProgram, KeptTogether>()

  function forget(program: EnclosedProgram): void {
    all.delete(program)
    survived.delete(program)
  }
  function outlive(program: EnclosedProgram, kept: KeptTogether): void {
    if (all.has(program)) survived.set(program, kept)
    forgetThoseThatAreOver()
  }
  function forgetThoseThatAreOver(): void {
    for (const [program, kept] of survived) if (kept.isOver()) forget(program)
  }

  async function endThose(wanted: (mark: string) => boolean, graceMs: number): Promise<boolean> {
    const found = [...all].filter(([, mark]) => wanted(mark))
    const ended = await Promise.all(found.map(([program]) => program.end(graceMs)))
    return ended.every(Boolean)
  }

  return {
    get count() {
      forgetThoseThatAreOver()
      return all.size
    },
    async start(program, mark) {
      const marked = { ...program, env: { ...program.env, [markName]: mark } }
      const running = await startProgram(marked, [], pipes)
      offerToOom(running.pid)
      const kept = keepTogether(running.pid, markName, mark)
      const enclosed: EnclosedProgram = {
        ...running,
        async end(graceMs) {
          const isDead = await kept.end(graceMs)
          if (isDead) forget(enclosed)
          return isDead
        },
      }
      all.set(enclosed, mark)
      void running.exited.then(() => outlive(enclosed, kept))
      return enclosed
    },
    async end(mark, graceMs) {
      const areDead = await endThose((one) => one === mark, graceMs)
      // Also what carries it and was not started by us: on a terminal of its own.
      return (await endMarked(markName, [mark], { graceMs })) && areDead
    },
    async endAll(graceMs) {
      await endThose(() => true, graceMs)
    },
  }
}

/** Where memory runs out, what was started goes before us: without us everything in here would. */
function offerToOom(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '500')
  } catch {
    // it has ended already, or this is no Linux
  }
}
