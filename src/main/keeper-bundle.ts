import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import {
  chmodSync,
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
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { hasCode } from '#lib/error-code.ts'
import type { KeeperRuntime } from '#worker/keepers.ts'
import { packagedRipgrep } from '#lib/packaged-ripgrep.ts'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)
/** Of the folder itself: counted up when something in it is there in another way than before. */
const layout = 2

/** The keeper and the parts it loads, built from the sources as they are. The tool that builds it is loaded by a child only. */
export async function keeperBundle(folder = join(root, 'dist/keeper')): Promise<string> {
  if (!isFresh(folder)) await run(process.execPath, [join(root, 'scripts/bundle-keeper.ts'), folder])
  return join(folder, 'keeper.mjs')
}

interface Inputs {
  /** What was built, by name, with its hash; what it was built from, likewise. */
  files: Record<string, string>
  inputs: Record<string, string>
}

const builtIn = (folder: string): Inputs => JSON.parse(readFileSync(join(folder, 'inputs.json'), 'utf8'))

function isFresh(folder: string): boolean {
  try {
    const { files, inputs } = builtIn(folder)
    const isAsNoted =
      (within: string) =>
      ([file, hash]: [string, string]) =>
        hashOf(readFileSync(resolve(within, file))) === hash
    return Object.entries(files).every(isAsNoted(folder)) && Object.entries(inputs).every(isAsNoted(root))
  } catch {
    return false
  }
}

/**
 * What a keeper and the hosts of its walls run on, in a folder of the home that is named after its content and never changes:
 * an upgrade of Signalbox or of Node pulls nothing from under the keepers that run. Any number of workers may prepare it at
 * once. It can be read by those inside walls, where it is mounted; nobody else comes as far.
 */
export async function prepareKeeperRuntime(home: string, bundle = keeperBundle()): Promise<KeeperRuntime> {
  const built = dirname(await bundle)
  const parts = Object.keys(builtIn(built).files).toSorted()
  const code = new Map(parts.map((part) => [part, readFileSync(join(built, part))]))
  const programs = { node: process.execPath, rg: packagedRipgrep() }
  const sizes = Object.values(programs).map((file) => (file ? statSync(file).size : 0))
  const { version, arch } = process
  const name = hashOf(
    `${[...code.values()].map(hashOf).join(' ')} ${version} ${arch} ${sizes.join(' ')} ${layout}`,
  ).slice(0, 16)
  const folder = join(home, 'runtime', name)
  if (!existsSync(folder)) {
    const draft = `${folder}.${randomUUID()}`
    mkdirSync(draft, { recursive: true, mode: 0o700 })
    try {
      for (const [part, content] of code) {
        writeFileSync(join(draft, part), content, { flush: true })
        // Only what says how it is run is a program.
        chmodSync(join(draft, part), content.subarray(0, 2).toString() === '#!' ? 0o755 : 0o644)
      }
      for (const [program, from] of Object.entries(programs)) if (from) linkOrCopy(from, join(draft, program))
      chmodSync(draft, 0o755)
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
