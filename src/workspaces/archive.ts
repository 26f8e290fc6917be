import { createHash, randomBytes } from 'node:crypto'
import { createWriteStream, existsSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress } from 'node:zlib'
import type { Archive } from '#contract/workspace.ts'
import { replaceFile } from '#lib/durable-file.ts'
import { hasCode } from '#lib/error-code.ts'
import type { Ground } from './ground.ts'
import { makeFolder, roomOnDisk, withDraft } from './ground.ts'
import { insideCall } from './inside.ts'
import { openPlainFile } from './open-archive.ts'
import type { Places } from './places.ts'
import { isBelow, safeName } from './places.ts'
import type { Archived } from './port.ts'
import { WorkspaceRefusal } from './port.ts'
import type { ToolCall } from './run.ts'
import { startTool } from './run.ts'
import { slugOf } from './slug.ts'
import { complaintsOf, tarEnvironment } from './tar.ts'

const patienceMs = 6 * 3_600_000
const ending = '.tar.zst'

interface AskedArchive {
  root: string
  workspaceId: string
  name: string
}

export function archiveFolder(ground: Ground, asked: AskedArchive): Promise<Archived> {
  const { archives } = ground.places
  return withDraft(ground, async (draft) => {
    const room = await roomOnDisk(ground)
    const file = join(draft, 'archive')
    const { remarks, ...written } = await write(await packing(ground, asked.root), file, room)
    const createdAt = new Date().toISOString()
    const name = `${slugOf(asked.name)}-${createdAt.replace(/\D/g, '').slice(0, 14)}-${randomBytes(3).toString('hex')}${ending}`
    const archive = { name, workspaceId: asked.workspaceId, ...written, createdAt }
    makeFolder(archives)
    replaceFile(join(archives, `${name}.json`), JSON.stringify(archive))
    renameSync(file, join(archives, name))
    return { ...archive, remarks }
  })
}

/** How a folder is packed: with the rights of those inside if it is theirs, so that a link leads nowhere that they could not go. */
export async function packing(ground: Ground, root: string): Promise<ToolCall> {
  const { places } = ground
  // The git folder of a worktree lies in its repository, so what names it would be wrong anywhere else.
  const without = isBelow(root, places.worktrees) ? ['--exclude=./.git'] : []
  const words = ['tar', '--create', '--file=-', '--format=posix', '--pax-option=delete=atime,delete=ctime']
  const how = ['--anchored', '--one-file-system', '--sparse', '--numeric-owner', '--quoting-style=escape']
  const tar = [...words, ...how, ...without, '.']
  if (!isBelow(root, places.workspaces))
    return { words: tar, cwd: root, env: tarEnvironment, timeoutMs: patienceMs }
  return insideCall(
    { root },
    {
      words: () => tar,
      env: tarEnvironment,
      mayWrite: false,
      isEnclosed: await ground.isEnclosed(),
      timeoutMs: patienceMs,
    },
  )
}

async function write(
  call: ToolCall,
  file: string,
  room: number,
): Promise<Pick<Archived, 'bytes' | 'sha256' | 'remarks'>> {
  const tool = startTool(call)
  tool.stdin.end()
  const hash = createHash('sha256')
  let bytes = 0
  const counter = new Transform({
    transform(piece: Buffer, _encoding, done) {
      hash.update(piece)
      bytes += piece.length
      done(bytes > room ? diskFull : null, piece)
    },
  })
  try {
    await pipeline(
      tool.stdout,
      createZstdCompress(),
      counter,
      createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true }),
    )
  } catch (error) {
    tool.kill()
    await tool.ended
    throw hasCode(error, 'ENOSPC') || hasCode(error, 'EDQUOT') ? diskFull : error
  }
  const { code, stderr, isLate } = await tool.ended
  if (isLate) throw new WorkspaceRefusal('workspace_failed', 'It took too long to save all files.')
  const { remarks, failures } = complaintsOf(stderr)
  if (failures.length > 0 || (code !== 0 && remarks.length === 0))
    throw new WorkspaceRefusal(
      'workspace_failed',
      `Not all files can be read, so nothing was saved: ${failures.slice(0, 10).join('; ') || `tar failed with ${code}`}`,
    )
  return { bytes, sha256: hash.digest('hex'), remarks }
}

const diskFull = new WorkspaceRefusal(
  'disk_full',
  'The disk is too full to save all files. Make room, or prune.',
)

export function listArchives({ archives }: Places): Archive[] {
  if (!existsSync(archives)) return []
  return readdirSync(archives)
    .filter((name) => name.endsWith(ending) && existsSync(join(archives, `${name}.json`)))
    .map((name): Archive => JSON.parse(readFileSync(join(archives, `${name}.json`), 'utf8')))
    .toSorted((one, other) => (one.createdAt < other.createdAt ? 1 : -1))
}

export async function openArchive(
  { archives }: Places,
  name: string,
): Promise<{ bytes: number; stream: NodeJS.ReadableStream }> {
  const handle = await openPlainFile(join(archives, archiveName(name)))
  const { size } = await handle.stat()
  return { bytes: size, stream: handle.createReadStream() }
}

export function removeArchive({ archives }: Places, name: string): void {
  const file = join(archives, archiveName(name))
  if (!existsSync(file)) throw new WorkspaceRefusal('archive_not_found', 'There is no such archive.')
  rmSync(file, { force: true })
  rmSync(`${file}.json`, { force: true })
}

export function archiveName(name: string): string {
  if (name.endsWith(ending)) return safeName(name)
  throw new WorkspaceRefusal('archive_not_found', 'There is no such archive.')
}
