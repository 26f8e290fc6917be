import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, inject } from 'vitest'
import type { Execution } from '#contract/execution.ts'
import type { WorkspaceDriver } from '#contract/workspace.ts'
import { readExecution, startExecution, untilEnded } from '../support/commands.ts'
import { testEngine } from '../support/docker.ts'
import { startLoopbackModel } from '../support/loopback-model/server.ts'
import type { LoopbackModel } from '../support/loopback-model/server.ts'
import { freshDatabase } from '../support/postgres.ts'
import { startSignalbox } from '../support/signalbox.ts'
import type { Signalbox } from '../support/signalbox.ts'
import { pathWith } from '../support/install-packages.ts'
import { cache } from './install.ts'

const patienceMs = 60_000

/** A Signalbox that holds the key of a model which only it can reach, and a workspace without a network. */
export interface InsideStage {
  box: Signalbox
  model: LoopbackModel
  key: string
  workspaceId: string
  /** A session with this agent in the workspace. */
  begin(agent: 'claude' | 'codex'): Promise<InsideSession>
  close(): Promise<void>
}

export interface InsideSession {
  id: string
  start(prompt: string): Promise<Execution>
  ended(execution: Execution): Promise<Execution>
  /** Waits until it asks. Answers with the id of the question. */
  question(execution: Execution): Promise<string>
  /** Runs this in the workspace. */
  command(command: string): Promise<string>
}

export async function openInside(driver: WorkspaceDriver): Promise<InsideStage> {
  const ends: (() => Promise<unknown>)[] = []
  const close = async () => {
    for (const end of ends.splice(0).toReversed()) await end()
  }
  try {
    return { ...(await furnish(driver, ends)), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function furnish(
  driver: WorkspaceDriver,
  ends: (() => Promise<unknown>)[],
): Promise<Omit<InsideStage, 'close'>> {
  const folder = async (parent: string) => {
    await mkdir(parent, { recursive: true })
    const made = await mkdtemp(join(parent, `inside-${driver}-`))
    ends.push(() => rm(made, { recursive: true, force: true, maxRetries: 5 }))
    return made
  }
  const key = `sk-real-${crypto.randomUUID()}`
  const model = await startLoopbackModel()
  ends.push(() => model.close())
  const database = await freshDatabase()
  ends.push(() => database.drop())
  const engine = driver === 'docker' ? await testEngine() : undefined
  const box = await startSignalbox({
    env: {
      HOME: await folder(cache),
      TMPDIR: await folder(tmpdir()),
      PATH: pathWith(inject('agentPrograms')),
      DATABASE_URL: database.url,
      ANTHROPIC_API_KEY: key,
      ANTHROPIC_BASE_URL: model.url,
      OPENAI_API_KEY: key,
      OPENAI_BASE_URL: `${model.url}/v1`,
      ENABLE_TOOL_SEARCH: 'false', // it would hand the model a search for our tools instead of the tools
      ...(engine && { DOCKER_HOST: engine.address, WORKSPACE_IMAGE: engine.image }),
    },
  })
  ends.push(() => box.stop())
  const agents = { claude: await register(box, 'claude'), codex: await register(box, 'codex') }
  const source = { git: await makeRepository(join(box.work, 'repository')) }
  const { id: workspaceId } = await made(box, '/workspaces', { driver, source, egress: 'model' })
  return {
    box,
    model,
    key,
    workspaceId,
    async begin(name) {
      const { agentId, capabilityId } = agents[name]
      const { id } = await made(box, '/sessions', { agentId, workspaceId })
      return sessionOf(box, id, capabilityId)
    },
  }
}

function sessionOf(box: Signalbox, id: string, capabilityId: string): InsideSession {
  const waiting = async (): Promise<{ id: string }[]> =>
    (await box.call('GET', `/approvals?status=waiting&sessionId=${id}`)).body.data
  return {
    id,
    start: (prompt) => startExecution(box, capabilityId, { sessionId: id, prompt }),
    ended: (execution) => untilEnded(box, execution.id, patienceMs),
    async question(execution) {
      for (const late = Date.now() + patienceMs; Date.now() < late; await wait(100)) {
        const [found] = await waiting()
        if (found) return found.id
        const now = await readExecution(box, execution.id)
        if (now.endedAt) throw new Error(`It ended without a question: ${JSON.stringify(now)}`)
      }
      const { body } = await box.call('GET', `/executions/${execution.id}/logs`)
      throw new Error(`It does not ask, and says: ${JSON.stringify(body)}`)
    },
    async command(command) {
      const { status, body } = await box.call('POST', `/sessions/${id}/tools/command`, { command })
      expect([status, body.error]).toEqual([200, undefined])
      return body.data.stdout
    },
  }
}

async function register(box: Signalbox, name: 'claude' | 'codex') {
  const agent = await made(box, '/agents', {
    name,
    kind: 'coding',
    adapter: name,
    binaryPath: join(inject('agentPrograms'), name),
    envAllowlist: [
      'ANTHROPIC_API_KEY',
      'OPENAI_API_KEY',
      'ANTHROPIC_BASE_URL',
      'OPENAI_BASE_URL',
      'ENABLE_TOOL_SEARCH',
    ],
    permissionPolicy: 'ask',
    ...(name === 'codex' && { model: 'gpt-5.5' }),
  })
  const capability = { key: 'prompt', interactionMode: 'prompt', timeoutSec: 120 }
  const { id } = await made(box, `/agents/${agent.id}/capabilities`, capability)
  return { agentId: agent.id, capabilityId: id }
}

async function made(box: Signalbox, path: string, wanted: object): Promise<{ id: string }> {
  const { status, body } = await box.call('POST', path, wanted)
  if (status !== 201) throw new Error(`POST ${path} was answered with ${status}: ${JSON.stringify(body)}`)
  return body.data
}

async function makeRepository(folder: string): Promise<string> {
  await mkdir(folder)
  await writeFile(join(folder, 'README.md'), '# A project\n')
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
