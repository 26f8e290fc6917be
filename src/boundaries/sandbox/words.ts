import { lstatSync, readlinkSync } from 'node:fs'
import { isAbsolute, normalize } from 'node:path'
import { inside } from '#contract/host.ts'
import type { EnclosedSpec } from '#contract/workspace.ts'
import type { InsideOwner } from '#lib/inside-owner.ts'
import { NotStarted } from '#lib/program.ts'

export interface SandboxTools {
  bwrap: string
  /** Needed by those who are root. */
  setpriv: string | undefined
}

export interface Surroundings {
  tools: SandboxTools
  owner: InsideOwner
  hostRuntime: string
  socketFolder: string
}

/** The descriptors that bubblewrap is started with. */
export const descriptors = { status: 3, block: 4, seccomp: 5, passwd: 6, group: 7, hosts: 8 } as const

interface Bound {
  source: string
  target: string
  isWritable: boolean
}

/** Of the machine's /etc only what programs need to run at all; nothing of who is on the machine, or of what it does. */
const shownOfEtc = [
  'alternatives',
  'ca-certificates',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'localtime',
  'mime.types',
  'pki/tls/certs',
  'pki/ca-trust/extracted',
  'protocols',
  'services',
  'ssl/certs',
  'ssl/openssl.cnf',
  'terminfo',
]
const systemFolders = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']

/** The command line that puts up the walls and runs `command` in them, as whoever has the rights of the inside. */
export function sandboxWords(
  workspace: Pick<EnclosedSpec, 'root' | 'homes' | 'mounts' | 'limits'>,
  surroundings: Surroundings,
  command: readonly string[],
): string[] {
  const bounds = boundsOf(workspace, surroundings)
  if (process.getuid?.() !== 0)
    return [...wallsOf(surroundings, bounds, workspace.limits.memoryMb), '--', ...command]
  // What lies in folders of root's alone cannot be reached by the one whose rights the sandbox has. So root brings it, in a view
  // of its own, to where it can be.
  const { tools, owner } = surroundings
  if (!tools.setpriv)
    throw new NotStarted('The program setpriv is missing. It is in the package util-linux: install it.')
  const stage = '/mnt'
  const brought = bounds.map((bound, at) => ({ ...bound, source: `${stage}/${at}` }))
  const bringing = bounds.flatMap(({ source, isWritable }, at) => [
    isWritable ? '--bind' : '--ro-bind',
    source,
    `${stage}/${at}`,
  ])
  return [
    [tools.bwrap, '--dev-bind', '/', '/', '--tmpfs', stage, ...bringing, '--die-with-parent', '--'],
    [tools.setpriv, '--reuid', String(owner.uid), '--regid', String(owner.gid), '--clear-groups', '--'],
    wallsOf(surroundings, brought, workspace.limits.memoryMb),
    ['--', ...command],
  ].flat()
}

function boundsOf(
  { root, homes, mounts }: Pick<EnclosedSpec, 'root' | 'homes' | 'mounts'>,
  { hostRuntime, socketFolder }: Surroundings,
): Bound[] {
  const strange = mounts.find((mount) => !isAbsolute(mount) || normalize(mount) !== mount || mount === '/')
  if (strange !== undefined) throw new NotStarted(`${strange} cannot be shown inside a sandbox.`)
  return [
    // First: none of them may cover one of ours.
    ...mounts.map((mount) => ({ source: mount, target: mount, isWritable: false })),
    { source: root, target: inside.root, isWritable: true },
    { source: homes, target: inside.homes, isWritable: true },
    { source: hostRuntime, target: inside.runtime, isWritable: false },
    { source: socketFolder, target: inside.socketFolder, isWritable: false },
  ]
}

function wallsOf({ tools }: Surroundings, bounds: readonly Bound[], memoryMb: number): string[] {
  const { status, block, seccomp, passwd, group, hosts } = descriptors
  const temporary = (folder: string) => [
    '--perms',
    '1777',
    '--size',
    String(memoryMb * 524_288),
    '--tmpfs',
    folder,
  ]
  return [
    [
      tools.bwrap,
      '--unshare-all',
      '--unshare-user',
      '--disable-userns',
      '--new-session',
      '--die-with-parent',
    ],
    ['--cap-drop', 'ALL', '--hostname', 'workspace'],
    ['--json-status-fd', String(status), '--block-fd', String(block), '--seccomp', String(seccomp)],
    ['--ro-bind', '/usr', '/usr', ...systemFolders.flatMap(systemFolder)],
    shownOfEtc.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]),
    ['--ro-bind-data', String(passwd), '/etc/passwd', '--ro-bind-data', String(group), '/etc/group'],
    ['--ro-bind-data', String(hosts), '/etc/hosts', '--proc', '/proc', '--dev', '/dev'],
    [...temporary('/tmp'), ...temporary('/var/tmp'), '--tmpfs', '/run'],
    ...bounds.map(({ source, target, isWritable }) => [isWritable ? '--bind' : '--ro-bind', source, target]),
    ['--remount-ro', '/run', '--remount-ro', '/', '--chdir', inside.root],
  ].flat()
}

/** Most systems have links to /usr there; on others they are folders of their own. */
function systemFolder(folder: string): string[] {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  if (found?.isSymbolicLink()) return ['--symlink', readlinkSync(folder), folder]
  return found ? ['--ro-bind', folder, folder] : []
}

/** What is read from the descriptors of these names. */
export const ownFiles = ({ uid, gid }: InsideOwner) => ({
  passwd: `root:x:0:0:root:/root:/usr/sbin/nologin\nagent:x:${uid}:${gid}:agent:${inside.homes}:/bin/sh\nnobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n`,
  group: `root:x:0:\nagent:x:${gid}:\nnogroup:x:65534:\n`,
  hosts: '127.0.0.1 localhost workspace\n::1 localhost\n',
})
