import { inside } from '#contract/host.ts'
import type { HostSetup } from '#contract/host.ts'
import type { EnclosedSpec } from '#contract/workspace.ts'
import type { InsideOwner } from '#lib/inside-owner.ts'
import type { EngineFacts } from './facts.ts'

/** What tells our containers from others', and whose they are. */
export const label = {
  home: 'signalbox.home',
  keeper: 'signalbox.keeper',
  workspace: 'signalbox.workspace',
} as const

/** What goes into a container besides the workspace. */
export interface Furnishing {
  image: string
  /** The folder with host.mjs, and rg. */
  hostRuntime: string
  socketFolder: string
  owner: InsideOwner
  labels: { home: string; keeper: string }
  setup: HostSetup
  facts: EngineFacts
}

const megabyte = 1024 ** 2
const tmp = `rw,exec,nosuid,nodev,size=${64 * megabyte},mode=1777`
const run = `rw,noexec,nosuid,nodev,size=${4 * megabyte},mode=755`

/** All that the engine is asked for, in its own words: nothing is left to its defaults that would let something in or out. */
export function containerFor(workspace: EnclosedSpec, furnishing: Furnishing) {
  const { image, hostRuntime, socketFolder, owner, labels, setup, facts } = furnishing
  const { memoryMb, cpus, pids } = workspace.limits
  // An engine without root makes its user root in there, and knows nobody else's files.
  const user = facts.isRootless ? '0:0' : `${owner.uid}:${owner.gid}`
  return {
    Image: image,
    // The image's own words for its start, and for its health, are for what it is usually used for.
    Entrypoint: ['node', '--max-semi-space-size=1', `${inside.runtime}/host.mjs`],
    Cmd: [],
    Healthcheck: { Test: ['NONE'] },
    Env: [`SIGNALBOX_HOST=${JSON.stringify(setup)}`, `HOME=${inside.homes}`],
    User: user,
    WorkingDir: inside.root,
    Hostname: 'workspace',
    Labels: {
      [label.home]: labels.home,
      [label.keeper]: labels.keeper,
      [label.workspace]: workspace.id,
    },
    HostConfig: {
      NetworkMode: 'none',
      IpcMode: 'private',
      ...(facts.remapsUsers ? { UsernsMode: 'host' } : {}),
      Memory: memoryMb * megabyte,
      MemorySwap: memoryMb * megabyte,
      NanoCpus: Math.round(cpus * 1e9),
      PidsLimit: pids,
      Ulimits: [{ Name: 'core', Soft: 0, Hard: 0 }],
      Privileged: false,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      Devices: [],
      ReadonlyRootfs: true,
      Tmpfs: { '/tmp': tmp, '/run': run },
      Init: true,
      AutoRemove: true,
      LogConfig: { Type: 'none' },
      Mounts: [
        bind(workspace.root, inside.root, false),
        bind(workspace.homes, inside.homes, false),
        bind(hostRuntime, inside.runtime, true),
        bind(socketFolder, inside.socketFolder, true),
        ...workspace.mounts.map((mount) => bind(mount, mount, true)),
      ],
    },
  }
}

/** Unlike the short form, this one does not make a folder where there is none. */
const bind = (Source: string, Target: string, ReadOnly: boolean) => ({
  Type: 'bind',
  Source,
  Target,
  ReadOnly,
  BindOptions: { Propagation: 'rprivate' },
})
