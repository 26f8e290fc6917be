import { execFile } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { DriverOnMachine } from '#contract/workspace.ts'
import { insideOwner } from '#lib/inside-owner.ts'
import { enclose } from './enclose.ts'
import { findTools } from './open.ts'
import { openLimits } from './limits.ts'
import { planSandbox } from './words.ts'

const run = promisify(execFile)
const limits = { memoryMb: 64, cpus: 1, pids: 32 }
const answer = 'inside'

/** Whether workspaces can be in sandboxes here: one is really put up, and something is run in it. Never rejects. */
export async function probeSandbox(path = process.env['PATH'] ?? ''): Promise<DriverOnMachine> {
  const refused = (reason: string): DriverOnMachine => ({
    driver: 'sandbox',
    works: false,
    reason,
    lacks: [],
    version: null,
  })
  if (process.platform !== 'linux')
    return refused('Sandboxes are made by bubblewrap, which is for Linux. Use folders, or docker.')
  try {
    const { bwrap } = findTools(path)
    const lacks = await tryOne(path)
    const { stdout } = await run(bwrap, ['--version'])
    return { driver: 'sandbox', works: true, reason: null, lacks, version: stdout.trim() }
  } catch (error) {
    return refused(error instanceof Error ? error.message : String(error))
  }
}

async function tryOne(path: string): Promise<DriverOnMachine['lacks']> {
  const owner = insideOwner()
  const base = mkdtempSync(join(tmpdir(), 'signalbox-probe-'))
  const held = openLimits(limits)
  try {
    const [root, homes, hostRuntime, socketFolder] = ['w', 'h', 'r', 's'].map((name) =>
      folderIn(base, name),
    ) as [string, string, string, string]
    const plan = planSandbox(
      { root, homes, mounts: [], limits },
      { tools: findTools(path), owner, hostRuntime, socketFolder },
    )
    const words = plan.putUp(['/bin/sh', '-c', `: > /workspace/written && printf ${answer}`])
    const enclosed = await enclose(words, { PATH: '/usr/bin:/bin' }, owner)
    let said = ''
    enclosed.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
    held.take([enclosed.init.pid])
    enclosed.begin()
    const complaint = await enclosed.dead
    if (said !== answer) throw new Error(`A sandbox was put up, and nothing could be run in it: ${complaint}`)
    return held.lacks
  } finally {
    await held.close()
    rmSync(base, { recursive: true, force: true })
  }
}

function folderIn(base: string, name: string): string {
  const folder = join(base, name)
  mkdirSync(folder)
  const { uid, gid } = insideOwner()
  chmodSync(folder, 0o755)
  if (process.getuid?.() === 0) chownSync(folder, uid, gid)
  return folder
}
