import { lstatSync, readlinkSync } from 'node:fs'
import { isAbsolute, normalize } from 'node:path'
import { inside } from '#contract/host.ts'
import type { EnclosedSpec } from '#contract/workspace.ts'
import type { InsideOwner } from '#lib/inside-owner.ts'
import { NotStarted } from '#lib/program.ts'
import type { Program } from '#lib/program.ts'

export interface SandboxTools {
  bwrap: string
  /** Needed by those who are root. */
  setpriv: string | undefined
  /** Needed for programs on a terminal. */
  nsenter: string | undefined
}

export interface Surroundings {
  tools: SandboxTools
  owner: InsideOwner
  hostRuntime: string
  socketFolder: string
}

/** The descriptors that bubblewrap is started with. */
export const descriptors = { status: 3, block: 4, seccomp: 5, passwd: 6, group: 7, hosts: 8 } as const

const control = ['--json-status-fd', String(descriptors.status), '--block-fd', String(descriptors.block)]
/** Signals from the keys of a terminal reach all that share it; only the program is to hear them. */
export const fromKeys = 'INT,QUIT,TSTP'

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

export interface SandboxPlan {
  /** The words that put up the walls and run a command in them. */
  putUp(command: readonly string[]): string[]
  /** The words that run a program in walls of the same kind, with the same files and network, on the terminal it is executed on. */
  putUpAgain(holder: number, program: Pick<Program, 'file' | 'argv' | 'cwd'>): string[]
}

/**
 * Two layers. The outer one has a network of its own and still sees all files. What lies in folders of root's alone cannot be
 * reached by the one whose rights the sandbox has, so root brings it to where it can be. The inner one is the walls.
 */
export function planSandbox(
  workspace: Pick<EnclosedSpec, 'root' | 'homes' | 'mounts' | 'limits'>,
  surroundings: Surroundings,
): SandboxPlan {
  const { tools, owner } = surroundings
  const isRoot = process.getuid?.() === 0
  if (isRoot && !tools.setpriv)
    throw new NotStarted('The program setpriv is missing. It is in the package util-linux: install it.')
  const bounds = boundsOf(workspace, surroundings)
  const stage = '/mnt'
  const brought = isRoot ? bounds.map((bound, at) => ({ ...bound, source: `${stage}/${at}` })) : bounds
  const bringing = bounds.flatMap((bound, at) => bind({ ...bound, target: `${stage}/${at}` }))
  const walls = wallsOf(brought, workspace.limits.memoryMb)
  const becoming = isRoot
    ? [
        tools.setpriv ?? '',
        '--reuid',
        String(owner.uid),
        '--regid',
        String(owner.gid),
        '--clear-groups',
        '--',
      ]
    : []
  return {
    putUp: (command) =>
      [
        [tools.bwrap, '--dev-bind', '/', '/'],
        isRoot ? ['--tmpfs', stage, ...bringing] : ['--unshare-user'],
        ['--unshare-net', '--die-with-parent', '--', ...becoming, tools.bwrap, '--new-session'],
        [...control, ...walls, '--chdir', inside.root, '--', ...command],
      ].flat(),
    putUpAgain(holder, { file, argv, cwd }) {
      if (!tools.nsenter)
        throw new NotStarted('The program nsenter is missing. It is in the package util-linux: install it.')
      return [
        [tools.nsenter, `--target=${holder}`, ...(isRoot ? [] : ['--user', '--preserve-credentials'])],
        ['--mount', '--net', '--', ...becoming, tools.bwrap, ...walls, '--chdir', cwd, '--'],
        ['/usr/bin/env', `--default-signal=${fromKeys}`, file, ...argv],
      ].flat()
    },
  }
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

function wallsOf(bounds: readonly Bound[], memoryMb: number): string[] {
  const { seccomp, passwd, group, hosts } = descriptors
  const half = String(memoryMb * 524_288)
  const temporary = (folder: string) => ['--perms', '1777', '--size', half, '--tmpfs', folder]
  return [
    ['--unshare-all', '--share-net', '--unshare-user', '--disable-userns', '--die-with-parent'],
    ['--cap-drop', 'ALL', '--hostname', 'workspace', '--seccomp', String(seccomp)],
    ['--ro-bind', '/usr', '/usr', ...systemFolders.flatMap(systemFolder)],
    shownOfEtc.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]),
    ['--ro-bind-data', String(passwd), '/etc/passwd', '--ro-bind-data', String(group), '/etc/group'],
    ['--ro-bind-data', String(hosts), '/etc/hosts', '--proc', '/proc', '--dev', '/dev'],
    [...temporary('/tmp'), ...temporary('/var/tmp'), '--tmpfs', '/run'],
    bounds.flatMap(bind),
    ['--remount-ro', '/run', '--remount-ro', '/'],
  ].flat()
}

const bind = ({ source, target, isWritable }: Bound): string[] => [
  isWritable ? '--bind' : '--ro-bind',
  source,
  target,
]

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
