import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { someAtATime } from '#lib/some-at-a-time.ts'
import { readText } from '../read-bounded.ts'
import { keptWhileUnchanged } from '../stamp.ts'
import type { FindOwners, Owner } from './owner.ts'

const largestRecord = 4 * 1024 * 1024
const largestMetadata = 1024 * 1024
type Owners = ReadonlyMap<string, Owner>

/**
 * What pip, pipx and uv have installed: beside a folder of programs are the packages (`../lib/python3.12/site-packages`), and each says which
 * programs it has put there. A folder of pyenv's shims stands for the programs of all its versions.
 */
export function openPython(): FindOwners {
  const kept = new Map<string, () => Promise<Owners>>()
  const ownersIn = (packages: string): Promise<Owners> => {
    const read =
      kept.get(packages) ??
      keptWhileUnchanged(
        () => [packages],
        () => readPackages(packages),
      )
    kept.set(packages, read)
    return read()
  }

  return async (files) => {
    const folders = new Set(files.flatMap(({ path, realPath }) => [dirname(path), dirname(realPath)]))
    const known = new Map(
      await Promise.all(
        [...folders].map(async (folder) => {
          const packages = await packageFoldersOf(folder)
          return [folder, await Promise.all(packages.map(ownersIn))] as const
        }),
      ),
    )
    const find = (folder: string, name: string) =>
      known
        .get(folder)
        ?.find((owners) => owners.has(name))
        ?.get(name)
    return new Map(
      files.flatMap(({ path, realPath, name }) => {
        const owner = find(dirname(path), name) ?? find(dirname(realPath), basename(realPath))
        return owner ? [[path, owner] as const] : []
      }),
    )
  }
}

async function packageFoldersOf(folder: string): Promise<string[]> {
  if (basename(folder) === 'shims') {
    const versions = join(dirname(folder), 'versions')
    const bins = (await list(versions))
      .toSorted()
      .toReversed()
      .map((version) => join(versions, version, 'bin'))
    return (await Promise.all(bins.map(packageFoldersOf))).flat()
  }
  if (basename(folder) !== 'bin') return []
  const lib = join(dirname(folder), 'lib')
  const pythons = (await list(lib)).filter((name) => /^python3(\.\d+)?$/.test(name))
  return pythons.flatMap((python) =>
    ['site-packages', 'dist-packages'].map((packages) => join(lib, python, packages)),
  )
}

async function readPackages(folder: string): Promise<Owners> {
  const owners = new Map<string, Owner>()
  const infos = (await list(folder)).filter((name) => name.endsWith('.dist-info'))
  await someAtATime(infos, 16, async (info) => {
    const names = namesIn((await readText(join(folder, info, 'RECORD'), largestRecord)) ?? '')
    if (names.length === 0) return
    const metadata = (await readText(join(folder, info, 'METADATA'), largestMetadata)) ?? ''
    const value = (key: string) =>
      new RegExp(`^${key}: (.+)$`, 'm').exec(metadata.split('\n\n')[0] ?? '')?.[1]?.trim()
    const [name = info, version = null] = info.slice(0, -'.dist-info'.length).split('-')
    const owner: Owner = {
      package: value('Name') ?? name,
      source: 'pip',
      version: value('Version') ?? version,
      description: value('Summary') ?? null,
    }
    for (const program of names) owners.set(program, owner)
  })
  return owners
}

/** Its programs are in RECORD as `../../../bin/black,sha256=…,208`. */
const namesIn = (record: string): string[] =>
  [...record.matchAll(/^"?(?:\.\.\/)+bin\/([^/,"\n]+)[,"]/gm)].map(([, name = '']) => name)

const list = (folder: string): Promise<string[]> => readdir(folder).catch(() => [])
