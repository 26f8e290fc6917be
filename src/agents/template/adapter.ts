import type { ProgramAdapter } from '../port.ts'
import { readOutput } from './output.ts'

/** A command: argv and no conversation. */
export const templateAdapter: ProgramAdapter = {
  async start({ program, argv, env, cwd }, { start }) {
    const running = await start({ file: program, argv, env, cwd })
    const output = readOutput(running)
    return {
      pid: running.pid,
      events: output.events,
      exited: running.exited,
      tell: ({ type }) =>
        Promise.resolve({
          outcome: 'refused',
          reason: `This is a command, not a conversation: it takes no ${type}. It can be cancelled.`,
        }),
      stop: running.end,
      hangUp: output.hangUp,
    }
  },
}
