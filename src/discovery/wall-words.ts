import { lstatSync, readlinkSync } from 'node:fs'
import { normalize } from 'node:path'
import { homesOf, realPath } from './program-files.ts'

/** The descriptors that bubblewrap is started with. */
export const descriptors = { status: 3, block: 4, seccomp: 5 } as const

export const insideHome = '/home/agent'

interface Wanted {
  file: string
  argv: readonly string[]
  hidden: readonly string[]
  /** For those who are root, and are not to be it inside. */
  drop: { setpriv: string; uid: number; gid: number } | undefined
  prlimit: string | undefined
}

/** What programs need to run at all; nothing of who is on the machine, or of what it does. */
const shownOfEtc = [
  'alternatives',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'localtime',
  'mime.types',
  'ssl/openssl.cnf',
  'terminfo',
  'java',
]
const systemFolders = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']
const shownFolders = ['/usr', '/opt', '/nix/store']
const roomBytes = String(16 << 20)

/** Bubblewrap's words for a program that is only to say something of itself. */
export function wallWords({ file, argv, hidden, drop, prlimit }: Wanted): string[] {
  const shown = [...shownFolders, ...systemFolders]
  const brought = homesOf(file, shown)
  const covered = hidden
    .map((folder) => realPath(folder) ?? normalize(folder))
    .filter((folder) => [...shown, ...brought].some((one) => `${folder}/`.startsWith(`${one}/`)))
  const temporary = (folder: string) => ['--perms', '1777', '--size', roomBytes, '--tmpfs', folder]
  return [
    drop ? [] : ['--unshare-user', '--disable-userns', '--cap-drop', 'ALL'],
    [
      '--unshare-ipc',
      '--unshare-pid',
      '--unshare-net',
      '--unshare-uts',
      '--unshare-cgroup-try',
      '--hostname',
      'walls',
    ],
    ['--die-with-parent', '--new-session'],
    ['--json-status-fd', String(descriptors.status), '--block-fd', String(descriptors.block)],
    ['--seccomp', String(descriptors.seccomp)],
    ['/etc', '/etc/ssl', '/home'].flatMap((folder) => ['--perms', '0755', '--dir', folder]),
    shownFolders.flatMap((folder) => ['--ro-bind-try', folder, folder]),
    systemFolders.flatMap(systemFolder),
    shownOfEtc.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]),
    ['--proc', '/proc', '--dev', '/dev', ...temporary('/tmp'), ...temporary(insideHome)],
    foldersOn(brought).flatMap((folder) => ['--perms', '0755', '--dir', folder]),
    brought.flatMap((path) => ['--ro-bind', path, path]),
    covered.flatMap((folder) => ['--tmpfs', folder, '--remount-ro', folder]),
    ['--remount-ro', '/', '--chdir', insideHome, '--'],
    prlimit
      ? [prlimit, '--core=0', '--fsize=67108864', '--data=4294967296', '--nofile=1024', '--nproc=4096', '--']
      : [],
    drop ? becoming(drop) : [],
    [file, ...argv],
  ].flat()
}

const becoming = ({ setpriv, uid, gid }: NonNullable<Wanted['drop']>): string[] => [
  setpriv,
  `--reuid=${uid}`,
  `--regid=${gid}`,
  '--clear-groups',
  '--inh-caps=-all',
  '--bounding-set=-all',
  '--no-new-privs',
  '--',
]

/** On the way to these paths. Bubblewrap would make them as private as they are outside, and we are somebody else inside. */
function foldersOn(paths: readonly string[]): string[] {
  const found = new Set<string>()
  for (const path of paths) {
    const names = path.split('/').slice(1, -1)
    for (const at of names.keys()) found.add(`/${names.slice(0, at + 1).join('/')}`)
  }
  found.delete('/tmp')
  return [...found]
}

/** Most systems have links to /usr there; on others they are folders of their own. */
function systemFolder(folder: string): string[] {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  if (found?.isSymbolicLink()) return ['--symlink', readlinkSync(folder), folder]
  return found ? ['--ro-bind', folder, folder] : []
}
