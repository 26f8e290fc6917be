import { eq } from 'drizzle-orm'
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test'
import { pino } from 'pino'
import { expect, onTestFinished } from 'vitest'
import { openChat } from '#chat/open.ts'
import { loadConfig } from '#config/config.ts'
import { CreateAgent } from '#contract/agent.ts'
import { CreateCapability } from '#contract/capability.ts'
import { listApprovals } from '#db/approvals.ts'
import { openListener } from '#db/listen.ts'
import { registerMachine } from '#db/machine-life.ts'
import type { DatabasePool } from '#db/pool.ts'
import { events, executions } from '#db/schema.ts'
import { owner } from '#domain/access.ts'
import { newAgent } from '#domain/agent.ts'
import { answerApproval } from '#flows/answer-approval.ts'
import { beginExecution } from '#flows/begin-execution.ts'
import { createAgent } from '#flows/create-agent.ts'
import { createCapability } from '#flows/create-capability.ts'
import { startExecution } from '#flows/start-execution.ts'
import { takeExecution } from '#flows/take-execution.ts'
import { newId } from '#lib/id.ts'
import { openNativeSource } from '#tools/native-source.ts'
import { openRegistry } from '#tools/registry.ts'
import { SourceConfig } from '#contract/source.ts'
import { freshPool } from '../postgres.ts'
import { openToolApprovals } from '#worker/tools/approve.ts'
import { settingsOf } from '#worker/tools/sources.ts'
import { driveChat } from '#worker/chat/drive-chat.ts'

const log = pino({ enabled: false })
export const handOver = { send: async () => undefined, settle: async () => undefined } as never
export const patient = { timeout: 10_000 }

/** What a model says in one step; or a promise that it waits for first. */
export interface Step {
  text?: string
  calls?: [id: string, tool: string, input?: object][]
  until?: Promise<void>
}

interface Options {
  steps: Step[]
  timeoutSec?: number
  /** What its agent may spend, and all of them in a day. */
  agent?: { maxTokens?: number; maxBudgetUsd?: number }
  perDayUsd?: number
}

/** A session with a model that says this, and workers that come and go. */
export async function openDriven({ steps, timeoutSec = 60, agent: spends = {}, perDayUsd }: Options) {
  const pool = await freshPool()
  const machineId = newId()
  await registerMachine(pool.db, { id: machineId, name: 'here', workerId: 'w', url: 'unix:/nowhere' })
  const usual = loadConfig({ env: { HOME: '/nowhere' }, cwd: '/' })
  const config = { ...usual, budgets: { ...usual.budgets, perDayUsd } }
  const agent = await pool.transaction((tx) =>
    createAgent(tx, {
      ...newAgent(
        CreateAgent.parse({ name: 'Chat', kind: 'model', adapter: 'chat', machineId, ...spends }),
        undefined,
      ),
      machineId,
    }),
  )
  const capability = await pool.transaction((tx) =>
    createCapability(
      tx,
      agent.id,
      CreateCapability.parse({ key: 'ask', label: 'Ask', interactionMode: 'prompt', timeoutSec }),
    ),
  )
  const made: string[] = []
  const gates = new Map<string, Promise<void>>()
  const shown: unknown[] = []
  const left = [...steps]
  const model = new MockLanguageModelV4({
    doStream: async ({ prompt, abortSignal }) => {
      shown.push(prompt)
      const step = left.shift() ?? { text: 'That is all.' }
      const parts = partsOf(step)
      if (!step.until) return { stream: simulateReadableStream({ chunks: parts as never[] }) }
      return {
        stream: new ReadableStream({
          async start(controller) {
            for (const part of parts.slice(0, 3)) controller.enqueue(part as never)
            const aborted = new Promise((resolve) => abortSignal?.addEventListener('abort', resolve))
            await Promise.race([step.until, aborted])
            if (abortSignal?.aborted) return controller.error(abortSignal.reason)
            for (const part of parts.slice(3)) controller.enqueue(part as never)
            controller.close()
          },
        }),
      }
    },
  })
  const settings = { anthropic: { apiKey: 'k' }, openai: {}, google: {}, compatible: {} }
  const chat = openChat(
    () => settings,
    async () => model,
  )

  /** Another worker. `leave` is what it does when it is asked to; killed ones do nothing. `driven` is how it reaches the database. */
  function worker(driven: DatabasePool = pool) {
    const listener = openListener(pool.url, log)
    const approvals = openToolApprovals({ pool, machineId, listener, config: () => config, log })
    const registry = openRegistry({
      pins: { of: async () => new Map(), put: async () => undefined },
      approve: (question, signal) => approvals.approve(question, signal),
      note: async () => undefined,
    })
    const tool = (name: string, annotations: object = {}) => ({
      name,
      inputSchema: { type: 'object' },
      annotations: { ...annotations },
      run: async (_: unknown, args: Record<string, unknown>) => {
        made.push(`${name} ${JSON.stringify(args)}`)
        await gates.get(name)
        if (name === 'break') throw new Error('It broke')
        return { content: [{ type: 'text', text: `${name} was done` }] }
      },
    })
    registry.put(
      openNativeSource({
        name: 'desk',
        description: 'A desk',
        tools: [tool('look', { readOnlyHint: true }), tool('sell'), tool('break')],
      }),
      { ...settingsOf(SourceConfig.parse({ transport: 'stdio', command: '-' })), isNative: true },
    )
    const view = {
      listTools: (caller: never) =>
        registry.list(caller).map(({ wireName: name, inputSchema }) => ({ name, inputSchema })),
      instructions: () => undefined,
      callTool: (caller: never, name: string, args: Record<string, unknown>, hands: never) =>
        registry.call(caller, name, args, hands),
    }
    onTestFinished(async () => {
      approvals.close()
      await registry.close()
      await listener.close()
    })
    const tools = { registry, view, askInstead: () => Promise.reject(new Error('not here')) } as never
    return {
      listener,
      chat: async () => chat,
      tools: async () => tools,
      drive: async (id: string) =>
        driveChat(
          {
            pool: driven,
            log,
            config: () => config,
            handOver,
            chat: async () => chat,
            tools: async () => tools,
          },
          await take(id),
        ),
    }
  }

  async function take(id: string) {
    const taken = await pool.transaction((tx) =>
      takeExecution(tx, id, { machineId, workerId: newId(), defaultFolder: '/tmp' }),
    )
    if (taken?.row.status !== 'queued') return taken!.row
    return pool.transaction((tx) => beginExecution(tx, taken.lease))
  }

  const say = async (prompt: string, sessionId?: string, through = handOver) =>
    pool.transaction((tx) =>
      startExecution(tx, owner, through, {
        capabilityId: capability.id,
        args: {},
        prompt,
        files: [],
        confirm: false,
        ...(sessionId && { sessionId }),
      }),
    )
  const row = async (id: string) => (await pool.db.select().from(executions).where(eq(executions.id, id)))[0]!
  const saidIn = async (sessionId: string) =>
    (await pool.db.select().from(events).where(eq(events.streamId, sessionId)).orderBy(events.seq)).map(
      ({ type, payload }) => ({ type, payload: payload as Record<string, unknown> }),
    )
  const waiting = async (count: number) => {
    const list = async () => (await listApprovals(pool.db, { status: 'waiting', page: 1, pageSize: 50 })).data
    await expect.poll(list, patient).toHaveLength(count)
    return (await list()).toSorted((one, other) => one.position - other.position)
  }
  const answer = (id: string, decision: 'granted' | 'refused') =>
    pool.transaction((tx) => answerApproval(tx, owner, handOver, id, { decision, remember: false }))
  return {
    pool,
    machineId,
    config,
    worker,
    say,
    row,
    log: saidIn,
    waiting,
    answer,
    made,
    gates,
    shown,
    agent,
  }
}

function partsOf({ text, calls = [] }: Step): object[] {
  const words =
    text === undefined
      ? []
      : [
          { type: 'text-start', id: 't' },
          { type: 'text-delta', id: 't', delta: text },
          { type: 'text-end', id: 't' },
        ]
  return [
    { type: 'stream-start', warnings: [] },
    ...words,
    ...calls.map(([toolCallId, toolName, input = {}]) => ({
      type: 'tool-call',
      toolCallId,
      toolName,
      input: JSON.stringify(input),
    })),
    {
      type: 'finish',
      finishReason: { unified: calls.length > 0 ? 'tool-calls' : 'stop', raw: undefined },
      usage: {
        inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 5, text: 5, reasoning: 0 },
      },
    },
  ]
}
