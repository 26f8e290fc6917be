import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import {
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { hasCode } from '#lib/error-code.ts'
import type { KeeperRuntime } from '#worker/keepers.ts'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

/** The keeper in one file, built from the sources as they are. The tool that builds it is loaded by a child only. */
export async function keeperBundle(folder = join(root, 'dist/keeper')): Promise<string> {
  if (!isFresh(folder)) await run(process.execPath, [join(root, 'scripts/bundle-keeper.ts'), folder])
  return join(folder, 'keeper.mjs')
}

interface Inputs {
  bundle: string
  inputs: Record<string, string>
}

function isFresh(folder: string): boolean {
  try {
    const built: Inputs = JSON.parse(readFileSync(join(folder, 'inputs.json'), 'utf8'))
    const files = { ...built.inputs, [join(folder, 'keeper.mjs')]: built.bundle }
    return Object.entries(files).every(([file, hash]) => hashOf(readFileSync(resolve(root, file))) === hash)
  } catch {
    return false
  }
}

/**
 * What a keeper runs on, in a folder of the home that is named after its content and never changes: an upgrade of Signalbox
 * or of Node pulls nothing from under the keepers that run. Any number of workers may prepare it at once.
 */
export async function prepareKeeperRuntime(home: string, bundle = keeperBundle()): Promise<KeeperRuntime> {
  const code = readFileSync(await bundle)
  const { version, arch, execPath } = process
  const name = hashOf(`${hashOf(code)} ${version} ${arch} ${statSync(execPath).size}`).slice(0, 16)
  const folder = join(home, 'runtime', name)
  if (!existsSync(folder)) {
    const draft = `${folder}.${randomUUID()}`
    mkdirSync(draft, { recursive: true, mode: 0o700 })
    try {
      writeFileSync(join(draft, 'keeper.mjs'), code, { mode: 0o600, flush: true })
      linkOrCopy(execPath, join(draft, 'node'))
      renameSync(draft, folder)
    } catch (error) {
      rmSync(draft, { recursive: true, force: true })
      if (!hasCode(error, 'ENOTEMPTY') && !hasCode(error, 'EEXIST')) throw error // else another worker was quicker
    }
  }
  return { node: join(folder, 'node'), script: join(folder, 'keeper.mjs') }
}

/** A link costs nothing, but not every file system and not every owner allows it. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    copyFileSync(from, to, constants.COPYFILE_FICLONE)
  }
}

const hashOf = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex')
