import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Execution } from '#contract/execution.ts'
import { startExecution, untilEnded, untilExecution } from './commands.ts'
import { makeRepository } from './repository.ts'
import { registerScripted, scriptedEnv } from './scripted-agent.ts'
import type { Signalbox } from './signalbox.ts'
import { files, scripts } from './busy-plays.ts'

// A Signalbox in the middle of a working day, for pictures and for whatever looks at every room: all of it happened, done by agents
// that follow a script.

const patience = 60_000
const scriptedAgent = join(import.meta.dirname, 'scripted-acp-agent.ts')
const programs = { 'Claude Code': 'claude', Codex: 'codex', 'Gemini CLI': 'gemini' } as const

/** What a Signalbox is started with in which there will be a busy day; what its agents follow is written into `folder`. */
export function busyEnv(folder: string): Record<string, string> {
  const plays = join(folder, 'plays.json')
  writeFileSync(plays, JSON.stringify(scripts))
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  for (const name of Object.values(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\nexec '${process.execPath}' '${scriptedAgent}'\n`)
    chmodSync(join(bin, name), 0o755)
  }
  return {
    ...scriptedEnv(join(folder, 'store')),
    ALLOWED_BINARY_DIRS: `${bin}:/usr/bin:/bin:${dirname(process.execPath)}`,
    SCRIPTED_PLAYS: plays,
    WORKER_MAX_CONCURRENT: '12',
    MIN_FREE_DISK: '1MB',
  }
}

export interface BusyHouse {
  /** Waits for an answer. */
  asking: Execution
  /** Has ended well, with a plan, tools, a diff and files that were changed. */
  finished: Execution
  failed: Execution
  taskId: string
}

/** `folder` is the one that `busyEnv` was given. */
export async function fillHouse(box: Signalbox, folder: string): Promise<BusyHouse> {
  const root = makeRepository(join(box.work, 'lighthouse'), files)
  const workspace = await make(box, '/workspaces', { driver: 'folder', root, name: 'lighthouse' })
  const agent = (name: keyof typeof programs, more: object = {}) =>
    registerScripted(box, { name, binaryPath: join(folder, 'bin', programs[name]), args: [], ...more })
  const claude = await agent('Claude Code', { model: 'opus' })
  const codex = await agent('Codex')
  const gemini = await agent('Gemini CLI', { permissionPolicy: 'reads' })
  await box.call('POST', '/mcp/add', {
    name: 'weather',
    config: {
      transport: 'stdio',
      command: process.execPath,
      args: [join(import.meta.dirname, 'stdio-mcp-server.ts')],
    },
  })

  const task = async (title: string, more: object = {}): Promise<string> =>
    (await make(box, '/tasks', { title, ...more })).id
  const epic = await task('Survive a power cut', {
    priority: 'high',
    description: 'The lamp must come back on its own.',
  })
  const lamp = await task('Lamp does not relight after a power cut', {
    priority: 'critical',
    parentTaskId: epic,
  })
  const flaky = await task('Rotation test fails about once in forty runs', { priority: 'high' })
  const upgrade = await task('Move the weather client to the new API')
  const fog = await task('Fog horn sounds twice when two sensors agree', { priority: 'medium' })
  await task('Log how long the generator takes to start', { parentTaskId: epic })
  await task('Write down how the log is read at sea', { priority: 'low' })
  await task('Dark theme for the keeper’s page')
  const tides = await task('Replace the tide table’s hand-written parser', { priority: 'medium' })
  await task('Waits for the new lens to arrive', { status: 'blocked' })

  const run = (capabilityId: string, prompt: keyof typeof scripts, taskId?: string) =>
    startExecution(box, capabilityId, { prompt, workspaceId: workspace.id, ...(taskId && { taskId }) })
  const ended = (execution: Execution) => untilEnded(box, execution.id, patience)
  const asks = (execution: Execution) =>
    untilExecution(box, execution.id, ({ waitingApprovals }) => waitingApprovals > 0, patience)

  const finished = await ended(
    await run(claude.capabilityId, 'Find out why the lamp stays dark after a power cut, and mend it.', lamp),
  )
  const failed = await ended(
    await run(gemini.capabilityId, 'Move the weather client to version 3 of its API.', upgrade),
  )
  await ended(await run(codex.capabilityId, 'Let the fog horn sound once per warning.', fog))
  await box.call('PATCH', `/tasks/${fog}`, { status: 'done' })
  await run(codex.capabilityId, 'Make the rotation test reliable.', flaky)
  await run(gemini.capabilityId, 'Replace the parser of the tide table.', tides)
  const asking = await asks(await run(claude.capabilityId, 'Start the generator again when it stalls.', epic))
  await asks(await run(codex.capabilityId, 'Bring the branch of the release up to date.'))
  return { asking, finished, failed, taskId: lamp }
}

async function make(box: Signalbox, path: string, body: object): Promise<{ id: string }> {
  const answer = await box.call('POST', path, body)
  if (answer.status !== 201) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
  return answer.body.data
}
