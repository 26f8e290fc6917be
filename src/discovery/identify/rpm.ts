import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { endGroup } from '#lib/process-end.ts'
import { readLines } from '#lib/lines.ts'
import { onPath } from '#lib/on-path.ts'
import type { Places } from '../places.ts'
import { stampOfAll } from '../stamp.ts'
import { openPlacer } from './merged-folders.ts'
import type { FindOwners, Owner } from './owner.ts'

/** Of hundreds of thousands of files it takes some seconds. */
const patienceMs = 15_000
const longestLine = 65_536
/** A line for each package, then one for each of its folders, then one for each file with the number of its folder. */
const format = String.raw`P\t%{NAME}\t%{EVR}\t%{SUMMARY}\n[D\t%{DIRNAMES}\n][F\t%{DIRINDEXES}\t%{BASENAMES}\n]`

/**
 * Whose a file is by rpm's own database. There are three formats of it, all of them rpm's alone: so rpm is asked, once for all files,
 * and again only after something was installed or removed.
 */
export function openRpm({ root, rpm }: Places, limitMs = patienceMs): FindOwners {
  let kept: { stamp: string; owners: ReadonlyMap<string, Owner> } | undefined

  async function ownersIn(folders: ReadonlySet<string>): Promise<ReadonlyMap<string, Owner>> {
    const database = rpm.databases.find((path) => existsSync(path))
    const program = onPath('rpm', rpm.programs)
    if (database === undefined || program === undefined) return new Map()
    const files = await stampOfAll([program, database, `${database}-wal`])
    const stamp = [files, ...[...folders].toSorted()].join('\n')
    if (kept?.stamp !== stamp) {
      const args = ['--dbpath', dirname(database), '-qa', '--queryformat', format]
      kept = { stamp, owners: await ask(program, args, { root, folders, limitMs }) }
    }
    return kept.owners
  }

  return async (files) => {
    const paths = files.flatMap(({ path, realPath }) => [path, realPath])
    // What it could not say this time is asked again the next time.
    const known = await ownersIn(new Set(paths.map(dirname))).catch(() => new Map<string, Owner>())
    return new Map(
      files.flatMap(({ path, realPath }) => {
        const owner = known.get(path) ?? known.get(realPath)
        return owner ? [[path, owner] as const] : []
      }),
    )
  }
}

interface Asked {
  root: string
  /** Only files of these are kept. */
  folders: ReadonlySet<string>
  limitMs: number
}

async function ask(
  program: string,
  args: readonly string[],
  { root, folders, limitMs }: Asked,
): Promise<Map<string, Owner>> {
  const inPlace = await openPlacer(root)
  const before = root === '/' ? '' : root
  // What somebody has set up for rpm in their home is not for us.
  const env = { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8', HOME: '/nonexistent' }
  const child = spawn(program, args, { cwd: '/', env, detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null))
    child.once('exit', (code) => resolve(code))
  })
  const late = setTimeout(() => {
    if (child.pid !== undefined) endGroup(child.pid)
    child.stdout.destroy()
  }, limitMs)

  const found = new Map<string, Owner>()
  let owner: Owner | undefined
  let within: (string | undefined)[] = []
  const take = (line: string) => {
    const [kind, first = '', second = '', ...rest] = line.split('\t')
    if (kind === 'P') {
      owner = { package: first, source: 'rpm', version: second, description: rest.join(' ') || null }
      within = []
    } else if (kind === 'D') {
      const folder = inPlace(before + first)
      within.push(folders.has(folder.slice(0, -1)) ? folder : undefined)
    } else if (kind === 'F' && owner) {
      const folder = within[Number(first)]
      if (folder !== undefined && !found.has(folder + second)) found.set(folder + second, owner)
    }
  }
  await readLines(child.stdout, { take, tooLong: () => undefined, longest: longestLine })
  const code = await ended
  clearTimeout(late)
  if (code !== 0) throw new Error(`rpm ended with ${code}`)
  return found
}
