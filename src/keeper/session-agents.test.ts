import { expect, it, vi } from 'vitest'
import type { SessionAgent, SessionLaunch } from '#agents/port.ts'
import { sessionLaunch } from '../../test/support/session-launch.ts'
import type { Enclosure } from '#boundaries/port.ts'
import type { CommandOutcome } from '#contract/keeper.ts'
import type { ProgramEnd } from '#lib/program.ts'
import { SessionAgents } from './session-agents.ts'

const boundary: Enclosure = {
  isolation: 'process-group',
  start: () => Promise.reject(new Error('nothing is started here')),
  enter: () => Promise.reject(new Error('nothing is entered here')),
}

/** Agents that are no processes: what is held, and for how long, is all that is looked at here. */
function open(outcome: CommandOutcome = { outcome: 'delivered' }) {
  const opened: { stop: () => void; told: unknown[] }[] = []
  const openOne = (): Promise<SessionAgent> => {
    const exited = Promise.withResolvers<ProgramEnd>()
    const stopped = Promise.withResolvers<boolean>()
    const told: unknown[] = []
    opened.push({ stop: () => stopped.resolve(true), told })
    return Promise.resolve({
      pid: opened.length,
      exited: exited.promise,
      turn: () => Promise.resolve({ reason: 'completed', message: null }),
      tell: (instruction) => {
        told.push(instruction)
        return Promise.resolve(outcome)
      },
      stop: () => stopped.promise,
    })
  }
  const adapter = () => Promise.resolve({ open: openOne })
  const marks: string[] = []
  const agents = new SessionAgents({
    boundary,
    adapters: { claude: adapter, codex: adapter, acp: adapter },
    markOf: (sessionId) => `${sessionId}:keeper`,
    noteMark: (mark) => marks.push(mark),
    log: () => undefined,
  })
  return { agents, opened, marks }
}

const launch = (turn: Partial<SessionLaunch['turn']> = {}): SessionLaunch =>
  sessionLaunch({ adapter: 'acp', executionId: 'execution', sessionId: 'session', cwd: '/' }, turn)

it('keeps the agent of a session for its next turn, and marks what it starts as its own', async () => {
  const { agents, opened, marks } = open()
  expect((await agents.take(launch())).pid).toBe(1)
  agents.leave(launch())
  expect((await agents.take(launch())).pid).toBe(1)
  expect(opened).toHaveLength(1)
  expect(marks).toEqual(['session:keeper'])
})

it('gives nobody an agent that is being ended: the next turn waits for its end and gets another', async () => {
  const { agents, opened } = open()
  await agents.take(launch())
  agents.leave(launch({ idleMs: 0 }))
  const ending = vi.fn<() => void>()
  await new Promise((resolve) => setTimeout(resolve, 20)) // the idle time is up, and it does not end at once
  const next = agents.take(launch()).finally(ending)
  await new Promise(setImmediate)
  expect(ending).not.toHaveBeenCalled()
  opened[0]!.stop()
  expect((await next).pid).toBe(2)
})

it('starts another when its program, its variables or its limits have changed', async () => {
  const { agents, opened } = open()
  await agents.take(launch())
  opened[0]!.stop()
  expect((await agents.take({ ...launch(), env: { KEY: 'new' } })).pid).toBe(2)
})

it('tells a living agent which model is wanted, once, and fails when it refuses', async () => {
  const { agents, opened } = open()
  await agents.take(launch())
  await agents.take(launch({ model: 'large' }))
  await agents.take(launch({ model: 'large' }))
  expect(opened[0]!.told).toEqual([{ type: 'mode', payload: { model: 'large' } }])
  const { agents: others } = open({ outcome: 'refused', reason: 'There is no such model' })
  await others.take(launch())
  await expect(others.take(launch({ model: 'none' }))).rejects.toThrow('There is no such model')
  await expect(others.take(launch({ model: 'none' }))).rejects.toThrow('There is no such model')
})
