import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { expect } from 'vitest'
import type { Execution } from '#contract/execution.ts'
import { isLive } from '#contract/execution.ts'
import type { WorkspaceDriver } from '#contract/workspace.ts'
import type { ScriptedAgent } from '../support/scripted-agent.ts'
import { startSignalbox } from '../support/signalbox.ts'
import type { Answer, Signalbox } from '../support/signalbox.ts'

export const patience = { timeout: 30_000, interval: 50 }

/** A running Signalbox with an agent whose program is a package of its own, as real ones are: it can be shown inside walls. */
export interface Place {
  box: Signalbox
  scripted: ScriptedAgent
  /** A repository with a few files, to begin from. */
  repository: string
  close(): Promise<void>
}

export async function openPlace(env: Record<string, string> = {}): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-place-'))
  const program = makeAgent(join(folder, 'agent'))
  const box = await startSignalbox({
    env: {
      ALLOWED_BINARY_DIRS: `${dirname(program)}:/usr/bin:/bin:${dirname(process.execPath)}`,
      AGENT_IDLE_MS: '5000',
      PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
      ...env,
    },
  })
  // Where agents may work: what workspaces are made from has to lie there too.
  const repository = makeRepository(join(box.work, 'repository'))
  const scripted = await registerAgent(box, program)
  return {
    box,
    scripted,
    repository,
    async close() {
      await box.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The scripted agent as a package with a program in it. */
function makeAgent(folder: string): string {
  const support = join(import.meta.dirname, '../support')
  mkdirSync(folder, { recursive: true })
  cpSync(join(support, 'scripted-acp-agent.ts'), join(folder, 'scripted-acp-agent.ts'))
  cpSync(join(support, 'scripted-acp'), join(folder, 'scripted-acp'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'scripted', type: 'module' }))
  const program = join(folder, 'scripted')
  // It needs a node that reads TypeScript: a sandbox shows the machine's own, which may be older, and the one of its host.
  const node = '$([ -x /opt/signalbox/node ] && echo /opt/signalbox/node || echo node)'
  writeFileSync(program, `#!/bin/sh\nexec ${node} "$(dirname "$0")/scripted-acp-agent.ts"\n`)
  chmodSync(program, 0o755)
  return program
}

function makeRepository(folder: string): string {
  mkdirSync(join(folder, 'src'), { recursive: true })
  writeFileSync(join(folder, 'README.md'), '# A project\n\nIt is small.\n')
  writeFileSync(join(folder, 'src/one.ts'), 'export const one = 1\n')
  writeFileSync(join(folder, 'src/two.ts'), 'export const two = 2\n')
  writeFileSync(join(folder, '.gitignore'), 'ignored/\n')
  mkdirSync(join(folder, 'ignored'))
  writeFileSync(join(folder, 'ignored/three.ts'), 'export const three = 3\n')
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.org', ...words], {
      cwd: folder,
      stdio: 'ignore',
    })
  git('init', '-b', 'main')
  git('add', '.')
  git('commit', '-m', 'A project')
  return folder
}

async function registerAgent(box: Signalbox, binaryPath: string): Promise<ScriptedAgent> {
  const agent = done(
    await box.call('POST', '/agents', { name: 'scripted', kind: 'coding', adapter: 'acp', binaryPath }),
    201,
  )
  const capability = done(
    await box.call('POST', `/agents/${agent.id}/capabilities`, {
      key: 'ask',
      interactionMode: 'prompt',
      timeoutSec: 120,
    }),
    201,
  )
  return { agentId: agent.id, capabilityId: capability.id }
}

// oxlint-disable-next-line typescript/no-explicit-any -- a test looks into answers of every shape
export function done({ status, body }: Answer, expected = 200): any {
  expect([status, body?.error]).toEqual([expected, undefined])
  return body?.data
}

/** A workspace of this driver with the repository's files in it, and a session there. */
export async function openSessionIn(
  { box, scripted, repository }: Place,
  driver: WorkspaceDriver,
  more: Record<string, unknown> = {},
): Promise<{ workspaceId: string; sessionId: string }> {
  const copy = copyOf(box, repository)
  const files = driver === 'folder' ? { root: copy, worktrees: false } : { source: { git: copy } }
  const workspace = done(await box.call('POST', '/workspaces', { driver, ...files, ...more }), 201)
  const session = done(
    await box.call('POST', '/sessions', { agentId: scripted.agentId, workspaceId: workspace.id }),
    201,
  )
  return { workspaceId: workspace.id, sessionId: session.id }
}

let copies = 0
function copyOf({ work }: Signalbox, repository: string): string {
  const copy = join(work, `project-${(copies += 1)}`)
  cpSync(repository, copy, { recursive: true })
  return copy
}

/** What a tool of the session's workspace answers. */
export const use = ({ box }: Place, sessionId: string, tool: string, input: object): Promise<Answer> =>
  box.call('POST', `/sessions/${sessionId}/tools/${tool}`, input)

export async function ask(place: Place, sessionId: string, prompt: string): Promise<Execution> {
  const { box, scripted } = place
  const { capabilityId } = scripted
  return done(await box.call('POST', '/executions', { capabilityId, sessionId, prompt }), 201)
}

export async function ended({ box }: Place, id: string): Promise<Execution> {
  const read = async () => (await box.call('GET', `/executions/${id}`)).body.data as Execution
  await expect.poll(async () => isLive((await read()).status), patience).toBe(false)
  return read()
}

export async function said({ box }: Place, sessionId: string): Promise<string> {
  const { body } = await box.call('GET', `/sessions/${sessionId}/events?limit=1000`)
  const events = body.data as { type: string; payload: { delta?: string } }[]
  return events
    .filter(({ type }) => type === 'text-delta')
    .map(({ payload }) => payload.delta)
    .join('')
}

/** Says yes to what the session asks next. */
export async function allow({ box }: Place, sessionId: string): Promise<void> {
  const waiting = async () =>
    (await box.call('GET', `/approvals?status=waiting&sessionId=${sessionId}`)).body.data as { id: string }[]
  await expect.poll(async () => (await waiting()).length, patience).toBe(1)
  const [first] = await waiting()
  done(await box.call('POST', `/approvals/${first?.id}`, { decision: 'granted' }))
}
