import { Transform } from 'node:stream'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { hasCode } from '#lib/error-code.ts'
import type { Ground } from './ground.ts'
import { roomOnDisk } from './ground.ts'
import { insideCall } from './inside.ts'
import { WorkspaceRefusal } from './port.ts'
import { messageOf, startTool } from './run.ts'
import { complaintsOf, tarEnvironment } from './tar.ts'

const mostEntries = 2_000_000
const patienceMs = 3_600_000

/**
 * Unpacks a tar from anywhere into a folder of those inside, with their rights. Setuid bits are dropped, and devices left out,
 * which is told. All of it, or a refusal: what is there then is for the caller to remove. The tar is opened when it can be read
 * at once, since what an ended program has said is lost unless somebody listens.
 */
export async function unpack(
  ground: Ground,
  open: () => Readable,
  layers: readonly Transform[],
  root: string,
): Promise<string[]> {
  const most = Math.min(ground.maxBytes, await roomOnDisk(ground))
  const tool = startTool(
    insideCall(
      { root },
      {
        // Without -p and with no mask, modes are kept as they are but for setuid, setgid and sticky.
        words: () => [
          'sh',
          '-c',
          'umask 0; exec "$@"',
          'sh',
          ...'tar --extract --file=- --verbose'.split(' '),
          ...safely,
        ],
        env: tarEnvironment,
        mayWrite: true,
        isEnclosed: await ground.isEnclosed(),
        timeoutMs: patienceMs,
      },
    ),
  )
  let refusal: WorkspaceRefusal | undefined
  const refuse = (why: string) => {
    refusal ??= new WorkspaceRefusal('does_not_fit', why)
    tool.kill()
  }
  let entries = 0
  tool.stdout.on('data', (listed: Buffer) => {
    for (const byte of listed) if (byte === 0x0a) entries += 1
    if (entries > mostEntries) refuse(`The archive has more than ${mostEntries} files.`)
  })
  let bytes = 0
  const counter = new Transform({
    transform(piece: Buffer, _encoding, done) {
      bytes += piece.length
      if (bytes > most)
        refuse(`Its files take more than the ${Math.floor(most / 1e6)} MB that there is room for.`)
      done(null, piece)
    },
  })
  const fed = pipeline([open(), ...layers, counter, tool.stdin]).catch((error: unknown) => error)
  const { code, stderr, isLate } = await tool.ended
  counter.destroy()
  const trouble = await fed
  if (refusal) throw refusal
  if (isLate) throw new WorkspaceRefusal('does_not_fit', 'The archive took too long to unpack.')
  if (trouble && !isOnlyClosed(trouble)) throw unpackFailed(messageOf(trouble))
  const { remarks, failures } = complaintsOf(stderr)
  if (failures.some((line) => /No space left|Disk quota exceeded/.test(line)))
    throw new WorkspaceRefusal('disk_full', 'The disk is full. Make room, or prune.')
  const isFine = code === 0 || (code === 2 && failures.length === 0 && remarks.length > 0)
  if (!isFine) throw unpackFailed(failures[0] ?? `tar failed with ${code}`)
  return remarks
}

const safely = [
  '--no-same-owner',
  '--no-same-permissions',
  '--delay-directory-restore',
  '--no-acls',
  '--no-selinux',
  '--no-xattrs',
  '--quoting-style=escape',
  '--warning=no-timestamp',
]

const unpackFailed = (why: string) =>
  new WorkspaceRefusal('does_not_fit', `The archive could not be unpacked: ${why}`)

/** The tool had read all that it wanted. */
const isOnlyClosed = (error: unknown): boolean =>
  hasCode(error, 'EPIPE') ||
  hasCode(error, 'ERR_STREAM_PREMATURE_CLOSE') ||
  hasCode(error, 'ERR_STREAM_DESTROYED')
