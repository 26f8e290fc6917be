import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { groupBoundary } from '#boundaries/none/process-group.ts'
import type { ApprovalAsked, Prompt } from '#contract/agent-event.ts'
import type { TurnAsked } from '#contract/keeper.ts'
import { startProgram } from '#host/start-program.ts'
import { hashOfInput } from '#lib/input-hash.ts'
import { openClaude } from '#agents/claude/adapter.ts'
import { sessionLaunch } from './session-launch.ts'
import type { AgentEvent, SessionAgent, SessionLaunch, TurnEnd } from '#agents/port.ts'

const fake = join(import.meta.dirname, '../../src/agents/claude/fixtures/fake-claude.ts')

interface Opened {
  agent: SessionAgent
  turn: (text: string, on?: (event: AgentEvent) => void) => Promise<{ end: TurnEnd; events: AgentEvent[] }>
  /** What it was started with and was given, as it saw them; the newest process last. */
  told: () => Record<string, unknown>[]
  lines: string[]
}

export const prompt = (text: string): Prompt => ({ text, files: [] })

export const granted = (asked: ApprovalAsked, more: object = {}) => ({
  type: 'answer' as const,
  payload: {
    requestId: asked.requestId,
    inputHash: hashOfInput(asked),
    decision: 'granted' as const,
    ...more,
  },
})

export const launchOf = (
  program: string,
  turn: Partial<TurnAsked> = {},
  more: Partial<SessionLaunch> = {},
): SessionLaunch => sessionLaunch({ adapter: 'claude', program, ...more }, turn)

/** Opens an agent on a fake that says what was recorded, and ends it after `use`. */
export async function withFake(
  recordings: string | string[],
  use: (opened: Opened) => Promise<void>,
  turn: Partial<TurnAsked> = {},
  { interruptMs, env = {} }: { interruptMs?: number; env?: Record<string, string> } = {},
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'fake-claude-'))
  const [program, told] = [join(folder, 'claude'), join(folder, 'told')]
  const names = [recordings].flat().join(' ')
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${fake}' ${names} -- "$@"\n`)
  chmodSync(program, 0o755)
  writeFileSync(told, '')
  const boundary = groupBoundary(startProgram, 'FAKE_CLAUDE_MARK')
  const lines: string[] = []
  let agent: SessionAgent | undefined
  try {
    agent = await openClaude(
      launchOf(program, turn, { env: { FAKE_CLAUDE_TOLD: told, ...env }, cwd: folder }),
      {
        start: (started) => boundary.start(started, folder),
        frame: (direction, line) => lines.push(`${direction} ${line}`),
      },
      interruptMs,
    )
    await use({
      agent,
      turn: (text, on) => turnOf(agent!, text, on),
      told: () =>
        readFileSync(told, 'utf8')
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line)),
      lines,
    })
  } finally {
    await agent?.stop(1_000)
    rmSync(folder, { recursive: true })
  }
}

async function turnOf(agent: SessionAgent, text: string, on: (event: AgentEvent) => void = () => undefined) {
  const events: AgentEvent[] = []
  const end = await agent.turn(prompt(text), (event) => {
    events.push(event)
    on(event)
    return Promise.resolve()
  })
  return { end, events }
}
