import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import type { Approval } from '#contract/approval.ts'
import type { StreamEvent } from '#contract/event.ts'
import type { Execution } from '#contract/execution.ts'
import { readExecution, startExecution, untilEnded } from '../support/commands.ts'
import { startLoopbackModel } from '../support/loopback-model/server.ts'
import type { LoopbackModel, ModelTurn } from '../support/loopback-model/server.ts'
import { freshDatabase } from '../support/postgres.ts'
import { startSignalbox } from '../support/signalbox.ts'
import type { Signalbox } from '../support/signalbox.ts'
import type { RealAgent } from './agents.ts'
import { pathWith } from '../support/install-packages.ts'
import { cache } from './install.ts'
import { registerRoles } from './roles.ts'
import type { Role } from './roles.ts'

/** How long a question waits on the stage: long enough to be answered, short enough to see it expire. */
const approvalExpiresMs = 8_000
const patienceMs = 80_000

/** A Signalbox with one real agent in it, and a model that the agent takes for its own. */
export interface Stage {
  agent: RealAgent
  box: Signalbox
  model: LoopbackModel
  /** Starts a turn. */
  start(as: Role, prompt: string, sessionId?: string, more?: { taskId: string }): Promise<Execution>
  /** The same, to its end. */
  run(as: Role, prompt: string, sessionId?: string): Promise<Execution>
  /** Where this one worked last; to go on there spares starting the agent again. */
  sessionOf(as: Role): string | undefined
  ended(id: string): Promise<Execution>
  /** Resolves once the condition holds. */
  until<Fact>(what: string, look: () => Promise<Fact | undefined | false>): Promise<Fact>
  /** The one question of an execution that waits for an answer. */
  question(executionId: string): Promise<Approval>
  /** What was told of an execution, in order. */
  told(execution: Execution): Promise<StreamEvent[]>
  /** What the agent has said in it, put together. */
  saidIn(execution: Execution): Promise<string>
  /** The requests to the model that this prompt led to. */
  turnsOf(prompt: string): ModelTurn[]
  /** Ends what a scenario that failed has left running, so that it does not hold up the next. */
  calm(): Promise<void>
  close(): Promise<void>
}

export async function openStage(name: string, agent: RealAgent): Promise<Stage> {
  const ends: (() => Promise<unknown>)[] = []
  const close = async () => {
    for (const end of ends.splice(0).toReversed()) await end()
  }
  try {
    return { ...(await furnish(name, agent, ends)), close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Says in `ends` how each thing is ended, as soon as there is something to end. */
async function furnish(
  name: string,
  agent: RealAgent,
  ends: (() => Promise<unknown>)[],
): Promise<Omit<Stage, 'close'>> {
  const folder = async (parent: string) => {
    const made = await mkdtemp(join(parent, `agent-${name}-`))
    ends.push(() => rm(made, { recursive: true, force: true, maxRetries: 5 }))
    return made
  }
  await mkdir(cache, { recursive: true })
  const home = await folder(cache) // Codex refuses to work with a home among temporary files
  const database = await freshDatabase()
  ends.push(() => database.drop())
  const model = await startLoopbackModel()
  ends.push(() => model.close())
  const variables = await agent.prepare(home, model.url)
  const box = await startSignalbox({
    env: {
      ...variables,
      HOME: home,
      TMPDIR: await folder(tmpdir()),
      PATH: pathWith(inject('agentPrograms')),
      DATABASE_URL: database.url,
      APPROVAL_EXPIRES_MS: String(approvalExpiresMs),
      AGENT_IDLE_MS: '20000', // they are large, and there will be many
    },
  })
  ends.push(() => box.stop())
  const capabilities = await registerRoles(box, agent, Object.keys(variables))
  const started = new Set<string>()
  const latest = new Map<Role, string>()
  const start: Stage['start'] = async (as, prompt, sessionId, more) => {
    const asked = { prompt, ...(sessionId && { sessionId }), ...more }
    const execution = await startExecution(box, capabilities[as], asked)
    started.add(execution.id)
    latest.set(as, execution.sessionId)
    return execution
  }
  const ended = (id: string) => untilEnded(box, id, patienceMs)
  const told = (execution: Execution) => eventsOf(box, execution)
  return {
    agent,
    box,
    model,
    start,
    sessionOf: (as) => latest.get(as),
    ended,
    told,
    until,
    run: async (as, prompt, sessionId) => ended((await start(as, prompt, sessionId)).id),
    question: (executionId) => until(`a question of ${executionId}`, () => questionOf(box, executionId)),
    saidIn: async (execution) =>
      (await told(execution))
        .map(({ type, payload }) => (type === 'text-delta' ? deltaOf(payload) : ''))
        .join(''),
    turnsOf: (prompt) => model.turns.filter((turn) => turn.prompt.includes(prompt)),
    async calm() {
      for (const id of started) {
        const { status } = await box.call('POST', `/executions/${id}/cancel`)
        if (status === 202) await ended(id)
      }
      started.clear()
    },
  }
}

async function questionOf(box: Signalbox, executionId: string): Promise<Approval | undefined> {
  const execution = await readExecution(box, executionId)
  if (execution.endedAt) throw new Error(`It ended without a question: ${JSON.stringify(execution)}`)
  const { body } = await box.call('GET', `/approvals?status=waiting&executionId=${executionId}`)
  return body.data[0]
}

const deltaOf = (payload: unknown): string => (payload as { delta: string }).delta

async function until<Fact>(what: string, look: () => Promise<Fact | undefined | false>): Promise<Fact> {
  for (const late = Date.now() + patienceMs; Date.now() < late;) {
    const fact = await look()
    if (fact) return fact
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`Waited in vain for ${what}`)
}

async function eventsOf(box: Signalbox, { id, sessionId }: Execution): Promise<StreamEvent[]> {
  const all: StreamEvent[] = []
  for (;;) {
    const { body } = await box.call('GET', `/sessions/${sessionId}/events?after=${all.at(-1)?.seq ?? 0}`)
    if (body.data.length === 0) return all.filter(({ executionId }) => executionId === id)
    all.push(...body.data)
  }
}
