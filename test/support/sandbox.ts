import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Boundary, TakeDial } from '#boundaries/port.ts'
import { sandboxBoundary } from '#boundaries/sandbox/open.ts'
import { MARK } from '#contract/keeper-protocol.ts'
import type { EnclosedSpec } from '#contract/workspace.ts'
import { newId } from '#lib/id.ts'
import { insideOwner } from '#lib/inside-owner.ts'
import type { Program } from '#lib/program.ts'
import { prepareKeeperRuntime } from '../../src/main/keeper-bundle.ts'

export interface TestSandbox {
  base: string
  root: string
  spec: EnclosedSpec
  boundary: Boundary
  log: string[]
  /** What a shell in there says, with how it ended. */
  run(script: string): Promise<Said>
  close(): Promise<void>
}

export interface Said {
  out: string
  err: string
  exitCode: number | null
  signal: string | null
}

interface Options {
  spec?: Partial<EnclosedSpec>
  takeDial?: TakeDial
}

/** A real sandbox, with everything of it in a folder that is nobody else's. */
export async function openTestSandbox({ spec, takeDial }: Options = {}): Promise<TestSandbox> {
  const base = mkdtempSync(join(tmpdir(), 'sandbox-'))
  chmodSync(base, 0o700)
  const remove = () => rmSync(base, { recursive: true, force: true })
  const { script } = await prepareKeeperRuntime(join(base, 'home')).catch((error: unknown) => {
    remove()
    throw error
  })
  const [root, homes, socketParent] = ['root', 'homes', 's'].map((name) => join(base, name)) as [
    string,
    string,
    string,
  ]
  const { uid, gid } = insideOwner()
  for (const folder of [root, homes, socketParent]) mkdirSync(folder, { mode: 0o700 })
  if (process.getuid?.() === 0) for (const folder of [root, homes]) chownSync(folder, uid, gid)
  const whole: EnclosedSpec = {
    id: newId(),
    driver: 'sandbox',
    root,
    homes,
    image: null,
    egress: 'none',
    modelHosts: [],
    forwards: [],
    mounts: [],
    limits: { memoryMb: 512, cpus: 1, pids: 128 },
    app: null,
    ports: [],
    commandRules: [],
    ...spec,
  }
  const log: string[] = []
  const open = sandboxBoundary({
    hostRuntime: dirname(script),
    socketParent,
    markName: MARK,
    path: process.env['PATH'] ?? '',
    takeDial: takeDial ?? ((_, connection) => connection.destroy()),
    log: (line) => log.push(line),
  })
  const boundary = await open(whole).catch((error: unknown) => {
    remove()
    throw error
  })
  return {
    base,
    root,
    spec: whole,
    boundary,
    log,
    run: (text) => runIn(boundary, text),
    async close() {
      await boundary.close(0)
      remove()
    },
  }
}

export const shellProgram = (script: string): Program => ({
  file: '/bin/sh',
  argv: ['-c', script],
  env: { PATH: '/usr/bin:/bin:/opt/signalbox', HOME: '/home/agent' },
  cwd: '/workspace',
})

async function runIn(boundary: Boundary, script: string): Promise<Said> {
  const program = await boundary.start(shellProgram(script), newId())
  const [out, err, end] = await Promise.all([textOf(program.stdout), textOf(program.stderr), program.exited])
  await program.end(0)
  return { out, err, ...end }
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(part)
  return Buffer.concat(parts).toString()
}
