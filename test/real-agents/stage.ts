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
import { cache, pathWith } from './install.ts'

/** How long a question waits on the stage: long enough to be answered, short enough to see it expire. */
const approvalExpiresMs = 8_000
const patienceMs = 60_000

/** A Signalbox with one real agent in it, and a model that the agent takes for its own. */
export interface Stage {
  agent: RealAgent
  box: Signalbox
  model: LoopbackModel
  /** Starts a turn. `asking` asks a person about every tool, `free` asks nobody, `equipped` has our MCP server too. */
  start(as: Role, prompt: string, sessionId?: string): Promise<Execution>
  /** The same, to its end. */
  run(as: Role, prompt: string, sessionId?: string): Promise<Execution>
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
  close(): Promise<void>
}

export type Role = 'asking' | 'free' | 'equipped'

export async function openStage(name: string, agent: RealAgent): Promise<Stage> {
  await mkdir(cache, { recursive: true })
  const home = await mkdtemp(join(cache, `home-${name}-`)) // Codex refuses to work with a home among temporary files
  const temporary = await mkdtemp(join(tmpdir(), `agent-${name}-`))
  const model = await startLoopbackModel()
  const database = await freshDatabase()
  const variables = await agent.prepare(home, model.url)
  const box = await startSignalbox({
    env: {
      ...variables,
      HOME: home,
      TMPDIR: temporary,
      PATH: pathWith(inject('agentPrograms')),
      DATABASE_URL: database.url,
      APPROVAL_EXPIRES_MS: String(approvalExpiresMs),
    },
  })
  const registered = await registerRoles(box, agent, Object.keys(variables))
  const start: Stage['start'] = (as, prompt, sessionId) =>
    startExecution(box, registered[as], { prompt, ...(sessionId && { sessionId }) })
  const ended = (id: string) => untilEnded(box, id, patienceMs)
  const told = (execution: Execution) => eventsOf(box, execution)
  return {
    agent,
    box,
    model,
    start,
    ended,
    told,
    until,
    run: async (as, prompt, sessionId) => ended((await start(as, prompt, sessionId)).id),
    question: (executionId) =>
      until(`a question of ${executionId}`, async () => {
        const { body } = await box.call('GET', `/approvals?status=waiting&executionId=${executionId}`)
        const execution = await readExecution(box, executionId)
        if (execution.endedAt) throw new Error(`It ended without a question: ${JSON.stringify(execution)}`)
        return body.data[0] as Approval | undefined
      }),
    saidIn: async (execution) =>
      (await told(execution))
        .map(({ type, payload }) => (type === 'text-delta' ? deltaOf(payload) : ''))
        .join(''),
    turnsOf: (prompt) => model.turns.filter((turn) => turn.prompt.includes(prompt)),
    async close() {
      await box.stop()
      await model.close()
      await database.drop()
      for (const folder of [home, temporary])
        await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
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

const mcpServer = {
  type: 'stdio',
  name: 'echo',
  command: process.execPath,
  args: [join(import.meta.dirname, '../support/stdio-mcp-server.ts')],
  env: {},
}

/** The agent three times, as it is asked to behave; answers with the capability of each. */
async function registerRoles(
  box: Signalbox,
  { adapter, program, args }: RealAgent,
  envAllowlist: string[],
): Promise<Record<Role, string>> {
  const register = async (name: Role, more: object) => {
    const agent = await made(box, '/agents', {
      name,
      kind: 'coding',
      adapter,
      binaryPath: join(inject('agentPrograms'), program),
      args,
      envAllowlist,
      ...more,
    })
    const capability = { key: 'prompt', interactionMode: 'prompt', timeoutSec: 120 }
    return (await made(box, `/agents/${agent.id}/capabilities`, capability)).id
  }
  return {
    asking: await register('asking', { permissionPolicy: 'ask' }),
    free: await register('free', { permissionPolicy: 'all' }),
    equipped: await register('equipped', { permissionPolicy: 'all', mcpServers: [mcpServer] }),
  }
}

async function made(box: Signalbox, path: string, wanted: object): Promise<{ id: string }> {
  const { status, body } = await box.call('POST', path, wanted)
  if (status !== 201) throw new Error(`POST ${path} was answered with ${status}: ${JSON.stringify(body)}`)
  return body.data
}
