import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { UIMessage } from 'ai'
import { expect } from 'vitest'
import type { Approval } from '#contract/approval.ts'
import type { StreamEvent } from '#contract/event.ts'
import type { Execution } from '#contract/execution.ts'
import { textOf } from '../bridge.ts'
import { untilEnded } from '../commands.ts'
import { startLoopbackModel } from '../loopback-model/server.ts'
import type { LoopbackModel, ModelTurn } from '../loopback-model/server.ts'
import { startSignalbox } from '../signalbox.ts'
import type { Signalbox } from '../signalbox.ts'

export const patience = { timeout: 20_000 }
const server = join(import.meta.dirname, 'desk-server.ts')

export const keys = {
  anthropic: 'sk-ant-nobody-may-read-this',
  openai: 'sk-oai-nobody-may-read-this',
  google: 'AIza-nobody-may-read-this',
  compatible: 'sk-own-nobody-may-read-this',
}

/** The loopback model as all four providers. */
export const providersAt = (url: string): Record<string, string> => ({
  ANTHROPIC_API_KEY: keys.anthropic,
  ANTHROPIC_BASE_URL: url,
  OPENAI_API_KEY: keys.openai,
  OPENAI_BASE_URL: `${url}/v1`,
  GOOGLE_GENERATIVE_AI_API_KEY: keys.google,
  GOOGLE_GENERATIVE_AI_BASE_URL: url,
  COMPATIBLE_API_KEY: keys.compatible,
  COMPATIBLE_BASE_URL: `${url}/v1`,
})

export interface ChatAgent {
  agentId: string
  capabilityId: string
}

export interface ChatRoom {
  box: Signalbox
  model: LoopbackModel
  /** With a tool policy, or whatever else is to be different. */
  agent(more?: Record<string, unknown>): Promise<ChatAgent>
  open(agent: ChatAgent, model?: string): Promise<string>
  /** Begins a turn. Answers with its execution. */
  say(agent: ChatAgent, sessionId: string, prompt: string, more?: object): Promise<string>
  /** The turn to its end. */
  turn(agent: ChatAgent, sessionId: string, prompt: string, more?: object): Promise<Execution>
  /** Says something in an ordinary turn, which has to be answered. */
  expectUsable(agent: ChatAgent, sessionId: string): Promise<void>
  events(sessionId: string): Promise<StreamEvent[]>
  /** The text of the last message of the model. */
  answer(sessionId: string): Promise<string>
  /** What is asked, in the order of the queue, once so many wait. */
  asked(sessionId: string, count: number): Promise<Approval[]>
  /** What the desk was asked to do: `book a`. */
  done(): string[]
  /** What the model was asked in this session, by a word that is in its prompts. */
  requests(word: string): ModelTurn[]
  close(): Promise<void>
}

/** The running product with a model on loopback, and a desk whose tools write down that they were called. */
export async function openChatRoom(env: Record<string, string> = {}): Promise<ChatRoom> {
  const folder = mkdtempSync(join(tmpdir(), 'chat-room-'))
  const desk = join(folder, 'desk')
  const model = await startLoopbackModel({ isChat: true })
  const box = await startSignalbox({
    env: { ...providersAt(model.url), LLM_MODEL: 'claude-sonnet-4-5', ...env },
  })
  const config = { transport: 'stdio', command: process.execPath, args: [server, desk] }
  expect((await box.call('POST', '/mcp/add', { name: 'desk', config })).status).toBe(201)
  let named = 0

  async function answered<Data>(method: string, path: string, body?: unknown): Promise<Data> {
    const { status, body: answer } = await box.call(method, path, body)
    if (status >= 400) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`)
    return answer.data
  }

  const room: ChatRoom = {
    box,
    model,
    async agent(more = {}) {
      const wanted = { name: `chat ${++named}`, kind: 'model', adapter: 'chat', ...more }
      const { id: agentId } = await answered<{ id: string }>('POST', '/agents', wanted)
      const capability = { key: 'ask', interactionMode: 'prompt', timeoutSec: 600 }
      const made = await answered<{ id: string }>('POST', `/agents/${agentId}/capabilities`, capability)
      return { agentId, capabilityId: made.id }
    },
    async open({ agentId }, name) {
      const { id } = await answered<{ id: string }>('POST', '/sessions', { agentId })
      if (name !== undefined) await answered('PATCH', `/sessions/${id}`, { model: name })
      return id
    },
    async say({ capabilityId }, sessionId, prompt, more = {}) {
      const wanted = { capabilityId, sessionId, prompt, ...more }
      return (await answered<Execution>('POST', '/executions', wanted)).id
    },
    turn: async (...asked) => untilEnded(box, await room.say(...asked), 40_000),
    async expectUsable(agent, sessionId) {
      const word = `well-${crypto.randomUUID().slice(0, 8)}`
      const { status, error } = await room.turn(agent, sessionId, `And now? [[text:All ${word}.]]`)
      expect([status, error]).toEqual(['succeeded', null])
      expect(await room.answer(sessionId)).toContain(word)
    },
    async events(sessionId) {
      const all: StreamEvent[] = []
      for (;;) {
        const after = all.at(-1)?.seq ?? 0
        const more = await answered<StreamEvent[]>(
          'GET',
          `/sessions/${sessionId}/events?limit=1000&after=${after}`,
        )
        if (more.length === 0) return all
        all.push(...more)
      }
    },
    async answer(sessionId) {
      const messages = await answered<UIMessage[]>('GET', `/sessions/${sessionId}/chat`)
      return textOf(messages.findLast(({ role }) => role === 'assistant'))
    },
    async asked(sessionId, count) {
      let waiting: Approval[] = []
      await expect
        .poll(async () => {
          const path = `/approvals?status=waiting&sessionId=${sessionId}`
          waiting = await answered<Approval[]>('GET', path).catch(() => []) // web may be away
          return waiting.length
        }, patience)
        .toBe(count)
      return waiting.toSorted((one, other) => one.position - other.position)
    },
    done: () => (existsSync(desk) ? readFileSync(desk, 'utf8').trim().split('\n') : []),
    requests: (word) => model.turns.filter(({ prompt }) => prompt.includes(word)),
    async close() {
      await box.stop()
      await model.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return room
}

/** The notices among events, in their words. */
export const noticesIn = (events: readonly StreamEvent[]): string[] =>
  events
    .filter(({ type }) => type === 'data-notice')
    .map(({ payload }) => String((payload as { text?: unknown }).text))
