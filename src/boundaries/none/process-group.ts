import { keepTogether } from '#lib/kept-together.ts'
import type { Enclosure, StartProgram } from '../port.ts'

/** Keeps the processes of one program together without a namespace, as well as that goes. */
export function groupBoundary(start: StartProgram, markName: string): Enclosure {
  return {
    isolation: 'process-group',
    async start(program, mark) {
      const running = await start({ ...program, env: { ...program.env, [markName]: mark } })
      return { ...running, ...keepTogether(running.pid, markName, mark) }
    },
    // Whatever gives a program a terminal lets it lead a group.
    enter: ({ file, argv }, mark) =>
      Promise.resolve({
        words: [file, ...argv],
        begun: (pid) => Promise.resolve(keepTogether(pid, markName, mark)),
        close: () => undefined,
      }),
  }
}
