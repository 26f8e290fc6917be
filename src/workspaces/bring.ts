import {
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import type { WorkspaceSource } from '#contract/workspace.ts'
import { replaceFile } from '#lib/durable-file.ts'
import { archiveName, packing } from './archive.ts'
import { commitOf, currentBranch } from './base.ts'
import { clone } from './clone.ts'
import { committedSettings } from './committed-settings.ts'
import { openGit } from './git.ts'
import type { Ground } from './ground.ts'
import { giveToInside, makeFolder, roomOnDisk, withDraft } from './ground.ts'
import { hold } from './held.ts'
import { layersOf, openPlainFile, openRealFile } from './open-archive.ts'
import { isBelow, placeIn } from './places.ts'
import type { Brought } from './port.ts'
import { WorkspaceRefusal } from './port.ts'
import { noSettings, readSettings, settingsFile } from './repository-settings.ts'
import type { RunningTool } from './run.ts'
import { startTool } from './run.ts'
import { complaintsOf } from './tar.ts'
import { unpack } from './unpack.ts'

/** Makes the files in a draft; they are in their place at once, or not at all. */
export async function bring(
  ground: Ground,
  workspaceId: string,
  source: WorkspaceSource | null,
): Promise<Brought> {
  const place = placeIn(ground.places, workspaceId)
  const note = join(place.folder, 'brought.json')
  if (existsSync(place.root)) return JSON.parse(readFileSync(note, 'utf8'))
  await roomOnDisk(ground)
  return withDraft(ground, async (draft) => {
    const root = join(draft, 'root')
    mkdirSync(root, { mode: 0o755 })
    await giveToInside(root)
    const remarks = await fill(ground, source, root)
    chmodSync(root, (lstatSync(root).mode & 0o777) | 0o700) // an archive may shut its own top
    const brought = await describe(ground, root, remarks)
    makeFolder(ground.places.workspaces)
    mkdirSync(place.folder, { recursive: true, mode: 0o755 })
    if (!existsSync(place.homes)) {
      mkdirSync(place.homes, { mode: 0o755 })
      await giveToInside(place.homes)
    }
    replaceFile(note, JSON.stringify(brought))
    renameSync(root, place.root)
    return brought
  })
}

async function fill(ground: Ground, source: WorkspaceSource | null, root: string): Promise<string[]> {
  if (source === null) return []
  if ('git' in source) {
    await clone(ground, source, root)
    return []
  }
  if ('path' in source) return copyFolder(ground, source.path, root)
  const { archives } = ground.places
  const file = isAbsolute(source.archive)
    ? await openRealFile(source.archive)
    : await openPlainFile(join(archives, archiveName(source.archive)))
  try {
    const layers = await layersOf(file)
    return await unpack(ground, () => file.createReadStream({ start: 0, autoClose: false }), layers, root)
  } finally {
    await file.close()
  }
}

/** Links are copied as links. What is no file is left out, and told. */
async function copyFolder(ground: Ground, path: string, root: string): Promise<string[]> {
  await using from = await hold(path).catch((error: unknown) => {
    if (error instanceof WorkspaceRefusal) throw error
    throw new WorkspaceRefusal('does_not_fit', `${path} is not a folder of this machine.`)
  })
  const home = realpathSync(ground.places.home)
  if (path === home || isBelow(path, home) || isBelow(home, path) || path === '/')
    throw new WorkspaceRefusal(
      'does_not_fit',
      `${path} has Signalbox's own files in it, so it is not copied.`,
    )
  const call = { ...(await packing(ground, path)), cwd: from.path }
  let tool: RunningTool | undefined
  const begin = () => {
    tool = startTool(call)
    tool.stdin.end()
    return tool.stdout
  }
  try {
    const left = await unpack(ground, begin, [], root)
    const { remarks, failures } = complaintsOf((await tool?.ended)?.stderr ?? '')
    if (failures.length > 0)
      throw new WorkspaceRefusal(
        'workspace_failed',
        `Not all files can be read: ${failures.slice(0, 10).join('; ')}`,
      )
    return [...remarks, ...left]
  } finally {
    tool?.kill()
  }
}

async function describe(ground: Ground, root: string, remarks: string[]): Promise<Brought> {
  const nothing = { branch: null, baseRef: null, settings: noSettings, remarks }
  const git = lstatSync(join(root, '.git'), { throwIfNoEntry: false })
  if (git && !git.isDirectory())
    return {
      ...nothing,
      remarks: [...remarks, 'Its git folder lies somewhere else, so it is no repository here.'],
    }
  if (!git) {
    const file = await open(
      join(root, settingsFile),
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    ).catch(() => undefined)
    try {
      const found =
        file && (await file.stat()).isFile() ? readSettings(await file.readFile('utf8')) : undefined
      return found
        ? { ...nothing, settings: found.settings, remarks: [...remarks, ...found.remarks] }
        : nothing
    } finally {
      await file?.close()
    }
  }
  try {
    const isEnclosed = await ground.isEnclosed()
    const reading = await openGit(
      { root, gitDir: join(root, '.git'), commonDir: null, isInside: true },
      { isEnclosed },
    )
    const baseRef = (await commitOf(reading, 'HEAD')) ?? null
    const found = baseRef ? await committedSettings(reading, baseRef) : { settings: noSettings, remarks: [] }
    const branch = await currentBranch(reading)
    return { branch, baseRef, settings: found.settings, remarks: [...remarks, ...found.remarks] }
  } catch (error) {
    if (!(error instanceof WorkspaceRefusal)) throw error
    return { ...nothing, remarks: [...remarks, error.message] }
  }
}
