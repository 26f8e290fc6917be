import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import type { Chat } from '#chat/port.ts'
import { openChat } from '#chat/open.ts'
import { loadConfig } from '#config/config.ts'
import type { Principal } from '#contract/access.ts'
import type { Command, FoundProgram, ScanProgress } from '#contract/discovery.ts'
import { openListener } from '#db/listen.ts'
import { openDiscovery } from '#discovery/open.ts'
import { LookerLost } from '#discovery/port.ts'
import type { CapabilitiesOf, Discovery } from '#discovery/port.ts'
import { owner } from '#domain/access.ts'
import { openStreams } from '#events/streams.ts'
import { discoveryRoutes } from '#http/discovery.ts'
import { openCapabilities } from '#worker/discovery/capabilities.ts'
import { openMachineDiscovery } from '#worker/discovery/machine-discovery.ts'
import { internalApi, serveInternally } from '#worker/internal-api.ts'
import { bareApp } from '../bare-app.ts'
import { openRegistry } from '../registry.ts'
import type { Answer } from '../registry.ts'

const log = pino({ level: 'silent' })

/**
 * A file beside a program says what it can be asked for: a list of commands; an empty one is the end of whoever reads it, one with
 * `no walls` says that it could not be asked, and one with `waits` is never answered.
 */
const describe: Discovery['describe'] = async ({ path }, { model, signal, onUnasked } = {}) => {
  const told = model
    ? await model(`What can ${path} be asked for?`, signal ?? new AbortController().signal)
    : await readFile(`${path}.json`, 'utf8').catch(() =>
        Promise.reject(new Error('It says nothing of itself')),
      )
  if (told === '') throw new LookerLost('It has ended')
  if (told === 'waits') await wait(60_000, undefined, { ...(signal && { signal }) })
  if (told === 'no walls') {
    onUnasked?.('There are no walls')
    throw new Error('Nothing is known: there are no walls')
  }
  return { source: model ? 'model' : 'help', commands: JSON.parse(told) as Command[], leftOut: 0 }
}

/** One for each command, without arguments; one to run it as a whole where none is known. */
const capabilitiesOf: CapabilitiesOf = (name, schema, danger) =>
  (schema?.commands ?? [{ words: [] }]).map(({ words }) => ({
    key: words.join('.') || 'run',
    interactionMode: 'template',
    commandTokens: [name, ...words],
    promptTemplate: null,
    argsSchema: { type: 'object' },
    dangerLevel: danger,
    annotations: {},
    timeoutSec: 300,
    maxOutputBytes: 1_000_000,
  }))

/** Web, and a machine with a PATH of its own that is really looked through, over a real line. */
export async function openFoundMachine(env: Record<string, string> = {}) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'signalbox-found-')))
  const bin = join(folder, 'bin')
  const first = join(folder, 'first')
  for (const made of [bin, first, join(folder, 'home')]) await mkdir(made)
  const box = await openRegistry()
  const listener = openListener(box.pool.url, log)
  const streams = openStreams(box.pool.db, listener, log)
  const theirs = { HOME: join(folder, 'home'), PATH: `${first}:${bin}`, ...env }
  const config = loadConfig({ env: { ...theirs, SIGNALBOX_HOME: join(folder, 'home/.s') }, cwd: folder })
  const real = openDiscovery({ root: folder, home: theirs.HOME })
  /** Who described what: for a person, or behind a scan. */
  const described: { name: string; isBehind: boolean }[] = []
  const lookerOf = (isBehind: boolean): Discovery => ({
    ...real,
    describe(program, how) {
      described.push({ name: program.name, isBehind })
      return describe(program, how)
    },
    version: () => Promise.resolve('1.2.3'),
  })
  const machine = { chat: (): Promise<Chat> => Promise.resolve(openChat(() => config.models)) }
  const here = openMachineDiscovery({
    pool: box.pool,
    machineId: box.machineId,
    machineName: 'here',
    config: () => config,
    log,
    env: theirs,
    discovery: lookerOf(false),
    behind: lookerOf(true),
    capabilities: openCapabilities(() => Promise.resolve(capabilitiesOf), log),
    chat: () => machine.chat(),
  })
  const api = internalApi({
    db: box.pool.db,
    machineId: box.machineId,
    config: () => config,
    log,
    discovery: () => here,
  })
  const serving = await serveInternally(api, join(folder, 's'), undefined)
  await box.addMachine(box.machineId, 'here', `unix:${join(folder, 's')}`)

  let caller = owner
  const parts = { pool: box.pool, streams, machineId: box.machineId, log }
  const app = bareApp()
    .use(async (c, next) => {
      c.set('principal', caller)
      await next()
    })
    .route('/', discoveryRoutes(parts))
  const request = (path: string, init?: RequestInit) => app.request(`/discovery${path}`, init)

  async function asWho(who: Principal, method: string, path: string, body?: unknown): Promise<Answer> {
    caller = who
    const json = { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
    const answer = await request(path, { method, ...(body !== undefined && json) })
    return { status: answer.status, body: await answer.json() }
  }
  const ask = (method: string, path: string, body?: unknown) => asWho(owner, method, path, body)

  async function program(name: string, commands?: string[][], where = bin): Promise<string> {
    const path = join(where, name)
    await writeFile(path, '#!/bin/sh\necho "$0 $@"\n')
    await chmod(path, 0o755)
    const described = commands?.map((words) => ({
      words,
      description: '',
      options: [],
      positionals: [],
      danger: 0,
    }))
    if (described) await writeFile(`${path}.json`, JSON.stringify(described))
    return path
  }

  /** Scans, and waits until it is over. */
  async function scanned(): Promise<ScanProgress> {
    const { body } = await ask('POST', '/scan', {})
    for (;;) {
      const { body: now } = await ask('GET', '/scan')
      if (now.data.scanId !== body.data.scanId || now.data.status !== 'running') return now.data
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  async function found(name: string): Promise<FoundProgram> {
    const { body } = await ask('GET', `?q=${encodeURIComponent(name)}`)
    const one = (body.data as FoundProgram[]).find((program) => program.name === name)
    if (!one) throw new Error(`${name} was not found: ${JSON.stringify(body)}`)
    return one
  }

  onTestFinished(async () => {
    streams.close()
    await here.close()
    await real.close()
    await Promise.all([serving.close(), listener.close()])
    await rm(folder, { recursive: true, force: true })
  })
  return {
    ...box,
    folder,
    bin,
    first,
    here,
    described,
    machine,
    ask,
    asWho,
    request,
    program,
    scanned,
    found,
    serving,
  }
}
