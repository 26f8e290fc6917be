import { once } from 'node:events'
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, inject, onTestFinished, test } from 'vitest'
import { claudeProgram } from '#agents/claude/arguments.ts'
import { newId } from '#lib/id.ts'
import { pathWith } from '../support/install-packages.ts'
import { startLoopbackModel } from '../support/loopback-model/server.ts'
import { sessionLaunch } from '../support/session-launch.ts'
import { agents } from './agents.ts'

const parrot = join(import.meta.dirname, '../support/stdio-mcp-server.ts')

/** A repository and a home that name servers of their own, some of them by the name of ours. */
async function openTraps() {
  const [home, repository] = await Promise.all([folder(), folder()])
  const started = join(home, 'started')
  const program = join(home, 'server')
  await writeFile(program, `#!/bin/sh\necho "$1" >> '${started}'\nexec '${process.execPath}' '${parrot}'\n`, {
    mode: 0o755,
  })
  const server = (name: string) => ({ type: 'stdio', command: program, args: [name] })
  const allOf = (place: string) => ({ signalbox: server(`${place} signalbox`), [place]: server(place) })
  await mkdir(join(repository, '.claude'))
  await writeFile(join(repository, '.mcp.json'), JSON.stringify({ mcpServers: allOf('repository') }))
  await writeFile(
    join(home, '.claude.json'),
    JSON.stringify({ mcpServers: allOf('home'), projects: { [repository]: { mcpServers: allOf('local') } } }),
  )
  await writeFile(
    join(repository, '.claude/settings.json'),
    JSON.stringify({ enableAllProjectMcpServers: true }),
  )
  return {
    home,
    repository,
    started: async () =>
      (await readFile(started, 'utf8').catch(() => '')).split('\n').filter(Boolean).toSorted(),
  }
}

/** Which servers Claude has, and where it has them from, once it has answered. */
async function serversOf({ home, repository }: { home: string; repository: string }, isStrict: boolean) {
  const model = await startLoopbackModel()
  onTestFinished(() => model.close())
  const env = {
    ...(await agents.claude.prepare(home, model.url)),
    HOME: home,
    PATH: pathWith(inject('agentPrograms')),
  }
  // Nobody answers there, which is all the same.
  const ownTools = { url: 'http://127.0.0.1:9/mcp', token: 'none' }
  const launch = sessionLaunch({ adapter: 'claude', program: 'claude', env, cwd: repository }, { ownTools })
  const { file, argv, ...rest } = claudeProgram(launch, { how: 'new', sessionId: newId() })
  const used = isStrict ? argv : argv.filter((arg) => arg !== '--strict-mcp-config')
  const claude = spawn(file, used, { env: rest.env, cwd: repository, stdio: ['pipe', 'pipe', 'ignore'] })
  const exit = once(claude, 'exit')
  onTestFinished(async () => {
    claude.kill('SIGKILL')
    await exit
  })
  claude.stdin.write(
    `${JSON.stringify({ type: 'user', message: { role: 'user', content: '[[text:Hello.]]' } })}\n`,
  )
  const servers: Record<string, string> = {}
  for await (const line of createInterface({ input: claude.stdout })) {
    const told = JSON.parse(line)
    for (const { name, source } of told.mcp_servers ?? []) servers[name] = source
    if (told.type === 'result') claude.stdin.end()
  }
  return servers
}

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'signalbox-servers-'))
  onTestFinished(() => rm(made, { recursive: true, force: true, maxRetries: 5 }))
  return made
}

test('Claude as we start it has our server, and starts none that a repository or a home names', async () => {
  const traps = await openTraps()
  expect(await serversOf(traps, true)).toEqual({ signalbox: 'dynamic' })
  expect(await traps.started()).toEqual([])
})

// Why it is told to be strict. Should this change, servers of people's own could be let in.
test('otherwise ours would still win, but what an unknown repository names is started without a question', async () => {
  const traps = await openTraps()
  expect(await serversOf(traps, false)).toEqual({
    signalbox: 'dynamic',
    home: 'user',
    repository: 'project',
    local: 'local',
  })
  expect(await traps.started()).toEqual(['home', 'local', 'repository'])
})
