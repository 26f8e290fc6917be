import { chmodSync, copyFileSync, lchownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { rgPath } from '@vscode/ripgrep'
import { dockerBoundary } from '#boundaries/docker/open.ts'
import type { Boundary, TakeDial } from '#boundaries/port.ts'
import { MARK } from '#contract/keeper-protocol.ts'
import type { EnclosedSpec } from '#contract/workspace.ts'
import { newId } from '#lib/id.ts'
import { insideOwner } from '#lib/inside-owner.ts'
import type { ProgramEnd } from '#lib/program.ts'
import { keeperBundle } from '../../src/main/keeper-bundle.ts'
import { openEngine } from '#boundaries/docker/engine.ts'
import type { Engine } from '#boundaries/docker/engine.ts'
import { engineAddress } from '#boundaries/docker/address.ts'
import { testEngine } from './docker.ts'
import type { TestEngine } from './docker.ts'

/** What is around containers in a test: folders, the host's files, the engine. */
export interface Yard {
  engine: TestEngine
  /** To ask the engine behind the boundary's back. */
  asker: Engine
  folder: string
  home: string
  log: string[]
  spec(more?: Partial<EnclosedSpec>): EnclosedSpec
  open(spec?: EnclosedSpec, takeDial?: TakeDial): Promise<Boundary>
  /** Closes all that were opened, and removes all. */
  close(): Promise<void>
}

export async function openYard(given?: TestEngine): Promise<Yard> {
  const engine = given ?? (await testEngine())
  process.env['DOCKER_HOST'] = engine.address
  const folder = mkdtempSync(join(tmpdir(), 'yard-'))
  const home = newId()
  const hostRuntime = await furnishHost(join(folder, 'runtime'))
  const socketParent = join(folder, 's')
  mkdirSync(socketParent, { mode: 0o700 })
  const log: string[] = []
  const opened: Boundary[] = []
  const spec = (more: Partial<EnclosedSpec> = {}): EnclosedSpec => {
    const id = newId()
    const [root, homes] = [join(folder, id), join(folder, `${id}.homes`)]
    for (const one of [root, homes]) own(one)
    return { ...usual, id, root, homes, image: engine.image, ...more }
  }
  return {
    engine,
    asker: openEngine(engineAddress()),
    folder,
    home,
    log,
    spec,
    async open(wanted = spec(), takeDial = (_, connection) => connection.destroy()) {
      const labels = { home, keeper: newId() }
      const parts = { hostRuntime, socketParent, markName: MARK, takeDial, labels }
      const boundary = await dockerBoundary({ ...parts, log: (line) => log.push(line) })(wanted)
      opened.push(boundary)
      return boundary
    },
    async close() {
      await Promise.all(opened.map((boundary) => boundary.close(0)))
      delete process.env['DOCKER_HOST']
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Runs a script in there to its end. */
export async function runInside(boundary: Boundary, script: string): Promise<Ran> {
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/home/agent' }
  const program = { file: '/bin/sh', argv: ['-c', script], env, cwd: '/workspace' }
  const running = await boundary.start(program, newId())
  const [stdout, stderr, end] = await Promise.all([
    text(running.stdout),
    text(running.stderr),
    running.exited,
  ])
  await running.end(0)
  return { stdout, stderr, ...end }
}

/** A command that says how many processes in there have these words, for a pattern that does not fit itself: `[s]leep 600`. */
export const countOf = (pattern: string): string =>
  `cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -o '${pattern}' | wc -l`

export interface Ran extends ProgramEnd {
  stdout: string
  stderr: string
}

const usual: Omit<EnclosedSpec, 'id' | 'root' | 'homes' | 'image'> = {
  driver: 'docker',
  egress: 'none',
  modelHosts: [],
  forwards: [],
  mounts: [],
  limits: { memoryMb: 512, cpus: 0.5, pids: 128 },
  app: null,
  ports: [],
  commandRules: [],
}

function own(folder: string): void {
  mkdirSync(folder)
  const { uid, gid } = insideOwner()
  if (process.getuid?.() === 0) lchownSync(folder, uid, gid)
}

/** What is at /opt/signalbox inside. */
async function furnishHost(folder: string): Promise<string> {
  mkdirSync(folder)
  copyFileSync(join(dirname(await keeperBundle()), 'host.mjs'), join(folder, 'host.mjs'))
  copyFileSync(rgPath, join(folder, 'rg'))
  chmodSync(join(folder, 'rg'), 0o755)
  for (const path of [folder, join(folder, 'host.mjs')]) chmodSync(path, 0o755)
  return folder
}
