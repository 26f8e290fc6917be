import { execFile } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import type { ToolCall } from '#contract/keeper.ts'
import type { ToolName } from '#contract/workspace-tool.ts'
import type { EnclosedSpec, WorkspaceSpec } from '#contract/workspace.ts'
import { newId } from '#lib/id.ts'
import { insideOwner } from '#lib/inside-owner.ts'
import { keeperAt } from '#worker/keeper-client.ts'
import { rgPath } from '@vscode/ripgrep'
import { prepareKeeperRuntime } from '../../src/main/keeper-bundle.ts'
import { startKeeper } from '../../test/support/keeper.ts'
import type { TestKeeper } from '../../test/support/keeper.ts'
import { percentile } from '../figure.ts'
import type { Figure } from '../figure.ts'
import type { TestEngine } from '../../test/support/docker.ts'
import { withEngine } from './engine.ts'
import { makeFiles } from './files.ts'
import { startFileServer } from './peers.ts'

const run = promisify(execFile)
const files = 30_000
const rounds = 2_000
const searches = 15
const openings = 12
const limitMs = 60_000

/** The tools of a workspace, from the worker's side of the keeper to the files and back, in all three drivers. */
export default async function tools(): Promise<Figure[]> {
  const home = mkdtempSync(join(tmpdir(), 'signalbox-bench-'))
  try {
    const root = join(home, 'files')
    makeFiles(root, files)
    await run('chown', ['-R', `${insideOwner().uid}:${insideOwner().gid}`, root])
    await run('sync') // else what was just written is on its way to the disk while others are measured
    const runtime = await prepareKeeperRuntime(home)
    return await withEngine(async (engine) => {
      const env = { DOCKER_HOST: engine.address }
      const open = (workspace: WorkspaceSpec) => openWorkspace(workspace, { home, command: runtime, env })
      const folder = await open({ id: newId(), driver: 'folder', root })
      const sandbox = await open(enclosed('sandbox', home, root, null))
      const docker = await open(enclosed('docker', home, root, engine.image))
      const beside = await startFileServer(root)
      try {
        return [
          ...(await roundTrips({ folder, sandbox, docker }, (path) =>
            beside.call('read_text_file', { path: join(root, path) }),
          )),
          ...(await searching(folder, docker, root)),
          ...(await readiness(home, root, engine)),
        ]
      } finally {
        beside.close()
        for (const one of [folder, sandbox, docker]) await one.close()
      }
    })
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

interface Opened {
  call(tool: ToolName, input: object): Promise<unknown>
  close(): Promise<void>
}

interface Surroundings {
  home: string
  command: { node: string; script: string }
  env: Record<string, string>
}

async function openWorkspace(
  workspace: WorkspaceSpec,
  { home, command, env }: Surroundings,
): Promise<Opened> {
  const keeper: TestKeeper = await startKeeper({ home: folderIn(home, 'keeper'), command, env })
  const client = keeperAt(keeper.socket)
  return {
    async call(tool, input) {
      const asked: ToolCall = { workspace, notAfter: Date.now() + limitMs, input, limitMs }
      const answer = await client.ask(`/tools/${tool}`, JSON.stringify(asked), AbortSignal.timeout(limitMs))
      return JSON.parse(await text(answer))
    },
    close: () => keeper.stop(),
  }
}

let made = 0
function folderIn(home: string, name: string): string {
  const folder = join(home, `${name}-${(made += 1)}`)
  mkdirSync(folder, { mode: 0o700 })
  return folder
}

function enclosed(
  driver: EnclosedSpec['driver'],
  home: string,
  root: string,
  image: string | null,
): EnclosedSpec {
  const homes = folderIn(home, 'homes')
  const { uid, gid } = insideOwner()
  chownSync(homes, uid, gid)
  return {
    id: newId(),
    driver,
    root,
    homes,
    image,
    egress: 'none',
    modelHosts: [],
    forwards: [],
    mounts: [],
    limits: { memoryMb: 512, cpus: 0.5, pids: 128 },
    app: null,
    ports: [],
    commandRules: [],
  }
}

async function timed(times: number, work: (index: number) => Promise<unknown>): Promise<number[]> {
  const taken: number[] = []
  for (let index = 0; index < times; index += 1) {
    const began = performance.now()
    await work(index)
    taken.push(performance.now() - began)
  }
  return taken
}

const pathOf = (index: number) => {
  const file = (index * 37) % files
  return `package-${Math.floor(file / 2000)}/part-${Math.floor(file / 100)}/file-${file}.ts`
}

/** Other files each time, so that nothing is only remembered. */
async function roundTrips(
  opened: Record<'folder' | 'sandbox' | 'docker', Opened>,
  peer: (path: string) => Promise<unknown>,
): Promise<Figure[]> {
  await timed(200, (index) => peer(pathOf(index)))
  const beside = percentile(await timed(rounds, (index) => peer(pathOf(index + 200))), 0.5)
  const figures: Figure[] = []
  for (const [driver, most] of [
    ['folder', 1],
    ['sandbox', 2],
    ['docker', 2],
  ] as const) {
    await timed(200, (index) => opened[driver].call('read', { path: pathOf(index) }))
    const taken = await timed(rounds, (index) => opened[driver].call('read', { path: pathOf(index + 200) }))
    figures.push(
      {
        name: `read a file in ${driver}, p50`,
        ours: percentile(taken, 0.5),
        unit: 'ms',
        target: { most },
        peer: { name: 'server-filesystem', value: beside },
      },
      { name: `the same, p95`, ours: percentile(taken, 0.95), unit: 'ms' },
    )
  }
  return figures
}

async function searching(folder: Opened, docker: Opened, root: string): Promise<Figure[]> {
  const rg =
    (...words: string[]) =>
    () =>
      run(rgPath, words, { cwd: root, maxBuffer: 64 << 20 })
  const pairs = [
    {
      name: `search ${files.toLocaleString('en')} files by name`,
      input: { pattern: '*7777*.ts' },
      alone: rg('--files'),
    },
    {
      name: `search ${files.toLocaleString('en')} files by content`,
      input: { pattern: 'needle in a \\w+', type: 'content' },
      alone: rg('-n', 'needle in a \\w+', './'),
    },
  ]
  const figures: Figure[] = []
  for (const { name, input, alone } of pairs) {
    await timed(3, alone)
    const peer = percentile(await timed(searches, alone), 0.5)
    for (const [driver, opened] of Object.entries({ folder, docker })) {
      await timed(3, () => opened.call('search', input))
      const ours = percentile(await timed(searches, () => opened.call('search', input)), 0.5)
      figures.push({
        name: `${name}, ${driver}, p50`,
        ours,
        unit: 'ms',
        // In a container it has half a processor, which ripgrep outside has not.
        ...(driver === 'folder' && { target: { most: 1.5 * peer } }),
        peer: { name: 'rg', value: peer },
      })
    }
  }
  return figures
}

/** From nothing to the first answer out of it. */
async function readiness(home: string, root: string, engine: TestEngine): Promise<Figure[]> {
  const command = await prepareKeeperRuntime(home)
  const env = { DOCKER_HOST: engine.address }
  const figures: Figure[] = []
  for (const [driver, image, most] of [
    ['docker', engine.image, 600],
    ['sandbox', null, undefined],
  ] as const) {
    const taken: number[] = []
    for (let index = 0; index < openings; index += 1) {
      const keeper = await startKeeper({ home: folderIn(home, 'keeper'), command, env })
      const workspace = enclosed(driver, home, root, image)
      const began = performance.now()
      const { status, body } = await keeper.call('POST', '/workspace', {
        workspace,
        notAfter: Date.now() + 60_000,
      })
      taken.push(performance.now() - began)
      await keeper.stop()
      if (status !== 200) throw new Error(JSON.stringify(body))
    }
    figures.push(
      {
        name: `${driver} ready, p50`,
        ours: percentile(taken, 0.5),
        unit: 'ms',
        ...(most && { target: { most } }),
      },
      { name: 'the same, p95', ours: percentile(taken, 0.95), unit: 'ms' },
    )
  }
  return figures
}
