import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { copyBinariesOut } from './binaries.ts'
import { EmbeddedPostgresFailed, wayOut } from './failed.ts'
import { runProgram } from './run-program.ts'

/** Under whom Postgres's programs run. They refuse root, and initdb refuses a uid that has no name. */
export interface Account {
  /** `own`: as we are. `namespace`: as we are, under another name. `dedicated`: under a uid of their own. */
  readonly kind: 'own' | 'namespace' | 'dedicated'
  /** Becomes the program itself, so the pid of what was started is the program's. */
  readonly wrapper: readonly string[]
  /** Who owns the data and runs the server; undefined when that is us. */
  readonly server?: Owner
  /** Who runs initdb, once, for less than a second; undefined when that is us. */
  readonly initdb?: Owner
  /** bin, lib and share, where this account can read them. */
  readonly native: string
}

export interface Owner {
  uid: number
  gid: number
}

/** Decides by really running Postgres, because no setting says reliably what a container or kernel refuses. */
export async function chooseAccount(home: string, native: string): Promise<Account> {
  const isRoot = process.getuid?.() === 0
  const own: Account = { kind: 'own', wrapper: [], native }
  if (!isRoot && hasName()) return own

  const named = namedOwner()
  const inside = named ?? { uid: 65_534, gid: 65_534 }
  const namespace: Account = {
    kind: 'namespace',
    wrapper: ['unshare', '--user', `--map-user=${inside.uid}`, `--map-group=${inside.gid}`, '--'],
    native,
  }
  if (process.platform === 'linux' && (await runs(namespace))) return namespace
  if (!isRoot) return own

  const server = unusedOwner(home)
  if (process.platform === 'linux' && named) {
    const dedicated: Account = { kind: 'dedicated', wrapper: [], native, server, initdb: named }
    if (await runs(dedicated)) return dedicated
    if (mayBecome(server)) {
      const reachable = { ...dedicated, native: await copyBinariesOut(native).catch(() => native) }
      if (await runs(reachable)) return reachable
    }
  }
  throw new EmbeddedPostgresFailed(
    `The embedded Postgres refuses to run as root, and this machine allows neither a user namespace nor another user. Start Signalbox as an ordinary user. ${wayOut}`,
  )
}

async function runs(account: Account): Promise<boolean> {
  const { code } = await runProgram(account, 'postgres', ['--version'], { as: account.server })
  return code === 0
}

const mayBecome = (owner: Owner) => spawnSync('/bin/true', { ...owner, cwd: '/' }).status === 0

function hasName(): boolean {
  try {
    return userInfo().username !== ''
  } catch {
    return false
  }
}

function accounts(): { name: string; uid: number; gid: number }[] {
  return readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [name, , uid, gid] = line.split(':')
      return name && uid && gid ? [{ name, uid: Number(uid), gid: Number(gid) }] : []
    })
}

/** Some system account with a name. Never `nobody`, whom every other program on the machine may be running as. */
function namedOwner(): Owner | undefined {
  return accounts().find(({ name, uid }) => uid > 0 && uid < 1000 && !/nobody|^sync$/.test(name))
}

/** A uid that belongs to no one: 61000–61179 is left free by Debian and systemd, and small enough for containers. */
function unusedOwner(home: string): Owner {
  const taken = new Set(accounts().map(({ uid }) => uid))
  const start = createHash('sha256').update(join(home)).digest().readUInt16BE() % 180
  let uid = 61_000 + start
  while (taken.has(uid)) uid += 1
  return { uid, gid: uid }
}
