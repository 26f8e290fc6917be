import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { loadConfig } from '#config/config.ts'
import { SourceConfig } from '#contract/source.ts'
import { openListener } from '#db/listen.ts'
import { registerMachine } from '#db/machine-life.ts'
import { newId } from '#lib/id.ts'
import { openNativeSource } from '#tools/native-source.ts'
import { CallFailed } from '#tools/port.ts'
import { openRegistry } from '#tools/registry.ts'
import { openMachineSources } from '../../../test/support/machine-sources.ts'
import { askElsewhere } from '../../main/ask-elsewhere.ts'
import { internalApi, serveInternally } from '../internal-api.ts'
import { openCallers } from './caller.ts'
import type { MachineTools } from './machine-tools.ts'
import { openRemoteSources } from './remote-sources.ts'
import { openSources } from './sources.ts'

const log = pino({ level: 'silent' })
const patience = { timeout: 20_000 }
const config = SourceConfig.parse({ transport: 'http', url: 'https://example.com/mcp' })
const owner = { kind: 'person', id: 'owner', isOwner: true } as const

/** Another machine with a source `far`, whose tool says who called; and the sources of others as this one sees them. */
async function openTwo() {
  const here = await openMachineSources()
  const folder = mkdtempSync(join(tmpdir(), 'far-machine-'))
  const machineId = newId()
  const socket = join(folder, 'worker.sock')
  const there = openRegistry(
    {
      pins: { of: () => Promise.resolve(new Map()), put: () => Promise.resolve() },
      approve: ({ caller: { inCode } }) =>
        inCode?.consent
          ? Promise.resolve(inCode.consent)
          : Promise.reject(
              inCode
                ? new CallFailed('awaits_person', 'ask first', { context: { question: { tool: 'it' } } })
                : new CallFailed('tool_refused', 'somebody said no'),
            ),
      note: () => Promise.resolve(),
    },
    { machineId },
  )
  const farConfig = loadConfig({
    env: { HOME: folder, SIGNALBOX_HOME: folder, PATH: '/usr/bin' },
    cwd: folder,
  })
  await registerMachine(here.pool.db, {
    id: machineId,
    name: 'far',
    workerId: machineId,
    url: `unix:${socket}`,
  })
  const sources = openSources({
    ...here.written,
    registry: there,
    machineId,
    log,
    writeFile: () => undefined,
    check: () => ({ config: farConfig, env: {}, ourAddresses: () => Promise.resolve([]) }),
    openSource: ({ name }) =>
      Promise.resolve(
        openNativeSource({
          name,
          description: '',
          tools: [
            {
              name: 'who_am_i',
              inputSchema: { type: 'object' },
              run: (caller) => Promise.resolve({ content: [{ type: 'text', text: caller.id }] }),
            },
            {
              name: 'say_much',
              inputSchema: { type: 'object' },
              run: () => Promise.resolve({ content: [{ type: 'text', text: 'x'.repeat(11 * 1024 * 1024) }] }),
            },
          ],
        }),
      ),
  })
  const unused = () => Promise.reject(new Error('not here'))
  const tools: MachineTools = {
    registry: there,
    sources,
    callerOf: openCallers(here.pool.db),
    view: { listTools: () => [], instructions: () => undefined, callTool: unused },
    listed: () => [],
    askInstead: unused,
    isWaitedFor: () => false,
    authorizing: unused,
    importSources: unused,
    mcp: unused,
  }
  const api = internalApi({
    db: here.pool.db,
    machineId,
    config: () => farConfig,
    log,
    tools: () => Promise.resolve(tools),
  })
  const serving = await serveInternally(api, socket, undefined)
  const listener = openListener(here.pool.url, log)
  const remote = openRemoteSources({ ...here, listener, log, ask: askElsewhere(here.pool.db) })
  onTestFinished(async () => {
    remote.close()
    sources.close()
    await listener.close()
    await serving.close()
    await there.close()
    rmSync(folder, { recursive: true })
  })
  return { here, remote, sources, serving }
}

it('finds and calls the tools of another machine as whoever asks, and follows what changes there', async () => {
  const { here, remote, sources } = await openTwo()
  await remote.refresh()
  expect(here.registry.list(owner)).toEqual([])
  await sources.add('owner', { name: 'far', config: { ...config, grants: ['ada'] } }, 'api')
  await expect
    .poll(() => here.registry.list(owner).map(({ name }) => name), patience)
    .toEqual(['far.who_am_i', 'far.say_much'])
  expect(remote.has('far')).toBe(true)
  const hands = { signal: new AbortController().signal }
  const ada = { kind: 'person', id: 'id-of-ada', name: 'ada', isOwner: false, scopes: ['tools'] } as const
  expect(await here.registry.call(ada, 'far.who_am_i', {}, hands)).toMatchObject({
    content: [{ text: 'id-of-ada' }],
  })
  const eve = { ...ada, id: 'id-of-eve', name: 'eve' }
  expect(here.registry.list(eve)).toEqual([])
  await expect(here.registry.call(eve, 'far.who_am_i', {}, hands)).rejects.toMatchObject({
    reason: 'tool_not_found',
  })
  await sources.remove('owner', 'far')
  await expect.poll(() => here.registry.list(owner), patience).toEqual([])
})

it('lets code be asked where it runs, about what another machine does', async () => {
  const { here, remote, sources } = await openTwo()
  await sources.add('owner', { name: 'far', config }, 'api')
  await remote.refresh()
  const hands = { signal: new AbortController().signal }
  const inCode = { runId: newId(), call: 1 }
  await expect(here.registry.call({ ...owner, inCode }, 'far.who_am_i', {}, hands)).rejects.toMatchObject({
    reason: 'awaits_person',
    context: { question: { tool: 'it' } },
  })
  const consent = { by: 'owner', isOwner: true, inputHash: 'of it' }
  const agreed = { ...owner, inCode: { ...inCode, consent } }
  expect(await here.registry.call(agreed, 'far.who_am_i', {}, hands)).toMatchObject({
    content: [{ text: 'owner' }],
  })
})

it('reads on in what another machine has cut, where it is kept', async () => {
  const { here, remote, sources } = await openTwo()
  await sources.add('owner', { name: 'far', config }, 'api')
  await remote.refresh()
  const hands = { signal: new AbortController().signal }
  const { _meta: meta, content } = await here.registry.call(owner, 'far.say_much', {}, hands)
  expect(content).toHaveLength(2)
  const rest = meta?.['signalbox/rest'] as { handle: string; offset: number }
  let length = rest.offset
  for (let next: typeof rest | undefined = rest; next;) {
    const { content: piece, _meta: more } = await here.registry.readResult(owner, next)
    length += String(piece[0]?.['text']).length
    next = more?.['signalbox/rest'] as typeof rest | undefined
  }
  expect(length).toBe(11 * 1024 * 1024)
  const eve = { ...owner, id: 'eve', isOwner: false, scopes: ['tools'] }
  await expect(here.registry.readResult(eve, rest)).rejects.toMatchObject({ reason: 'bad_arguments' })
})

it('says that a machine is silent, and leaves one of ours alone that has taken the name', async () => {
  const { here, remote, sources, serving } = await openTwo()
  await sources.add('owner', { name: 'far', config }, 'api')
  await remote.refresh()
  expect(here.registry.list(owner)).toHaveLength(2)
  await serving.close()
  const hands = { signal: new AbortController().signal }
  await expect(here.registry.call(owner, 'far.who_am_i', {}, hands)).rejects.toMatchObject({
    reason: 'source_unavailable',
    message: expect.stringMatching(/far (does not answer|went away)/),
  })
  await sources.remove('owner', 'far')
  await here.sources.add('owner', { name: 'far', config }, 'api')
  await remote.refresh()
  expect(remote.has('far')).toBe(false)
  expect(here.registry.source('far')).toBeDefined()
})
