import { lstatSync, readlinkSync } from 'node:fs'
import { insideOwner } from '#lib/inside-owner.ts'
import { runTool } from './run.ts'
import type { ToolCall } from './run.ts'

// Programs of ours (git, tar) on files that an agent behind walls can write at the same time. A link in there may point
// anywhere, and what names a command may be anything; where bubblewrap works they see nothing but the files themselves.

/** What is shown to a program: folders of this machine, by the path that they have for it. */
export interface Shown {
  root: string
  /** Another folder that it may write. */
  scratch?: string | undefined
}

const programs = { PATH: '/usr/local/bin:/usr/bin:/bin' }

let enclosing: Promise<boolean> | undefined

/** Whether bubblewrap works here, by running it. */
export function canEnclose(): Promise<boolean> {
  enclosing ??= process.platform === 'linux' ? tryToEnclose() : Promise.resolve(false)
  return enclosing
}

async function tryToEnclose(): Promise<boolean> {
  const words = [...wallsAround({ root: '/usr' }, false), 'git', '--version']
  const { code } = await runTool({ words, cwd: '/', env: programs, timeoutMs: 10_000, maxBytes: 1000 })
  return code === 0
}

interface InsideCall extends Omit<ToolCall, 'words' | 'cwd' | 'owner'> {
  /** Told where things are for the program. */
  words: (at: Shown) => readonly string[]
  mayWrite: boolean
  isEnclosed: boolean
}

/** How to run it: as whoever files inside walls belong to, and enclosed where that works. */
export function insideCall(shown: Shown, call: InsideCall): ToolCall {
  const { env, timeoutMs, isEnclosed, mayWrite } = call
  if (isEnclosed) {
    const at = { root: '/workspace', scratch: shown.scratch && '/scratch' }
    const words = [...wallsAround(shown, mayWrite), ...call.words(at)]
    return { words, cwd: '/', env: { ...env, ...programs }, timeoutMs }
  }
  // The folders above may be closed to the owner: as the current folder it can be reached all the same.
  const at = { root: '.', scratch: shown.scratch }
  return { words: call.words(at), cwd: shown.root, env, owner: insideOwner(), timeoutMs }
}

/** The words before a program that shut it in with the system's own programs and these folders, without a network. */
function wallsAround({ root, scratch }: Shown, mayWrite: boolean): string[] {
  const isRoot = process.getuid?.() === 0
  const { uid, gid } = insideOwner()
  const system = ['/bin', '/sbin', '/lib', '/lib32', '/lib64'].flatMap(systemFolder)
  const shown = [mayWrite ? '--bind' : '--ro-bind', root, '/workspace']
  const parts = [
    'bwrap --unshare-ipc --unshare-pid --unshare-net --unshare-uts --unshare-cgroup-try',
    '--new-session --die-with-parent --cap-drop ALL',
    // Root can show what its owner could not reach by its path, and is nobody any more when the program begins.
    isRoot ? '--cap-add CAP_SETUID --cap-add CAP_SETGID --cap-add CAP_SETPCAP' : '--unshare-user',
    '--ro-bind /usr /usr --ro-bind-try /etc/ld.so.cache /etc/ld.so.cache',
    '--ro-bind-try /etc/alternatives /etc/alternatives --proc /proc --dev /dev --tmpfs /tmp',
  ]
  const nobody = `setpriv --reuid=${uid} --regid=${gid} --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all --`
  return [
    ...parts.flatMap((part) => part.split(' ')),
    ...system,
    ...shown,
    ...(scratch ? ['--bind', scratch, '/scratch'] : []),
    '--',
    ...(isRoot ? nobody.split(' ') : []),
    // Not by bubblewrap, which as root has not the right to enter what its owner alone may.
    'env',
    '--chdir=/workspace',
  ]
}

/** As it is on this machine: a folder, or a link into /usr. */
function systemFolder(path: string): string[] {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found?.isSymbolicLink()) return ['--symlink', readlinkSync(path), path]
  return found ? ['--ro-bind', path, path] : []
}
