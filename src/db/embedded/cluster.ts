import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, openSync, readFileSync, statSync } from 'node:fs'
import { chown, lchown, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { identify, isAlive } from '#lib/process-identity.ts'
import type { Account, Owner } from './account.ts'
import { EmbeddedPostgresFailed, wayOut } from './failed.ts'
import { runProgram } from './run-program.ts'

/** The databases on the disk: home/postgres with the data and, beside it, the password that opens them. */
interface Cluster {
  data: string
  password: string
}

export const user = 'signalbox'
const major = '18'
/** Inside a folder that the program stands in, it needs no right to walk there: the home may stay 0700. */
const whereItStands = '/proc/self/cwd'

/** How to name the data folder to a program of this account. */
export const dataArguments = (account: Account, data: string) => ({
  path: account.kind === 'dedicated' ? whereItStands : data,
  cwd: data,
})

/** Makes the databases the first time; whole or not at all, also when it is killed in the middle. */
export async function prepareCluster(home: string, account: Account, log: Logger): Promise<Cluster> {
  await removeUnfinished(home)
  const folder = join(home, 'postgres')
  const data = join(folder, 'data')
  if (!existsSync(folder) || (await readdir(folder)).length === 0) {
    log.info({ folder }, 'making the embedded database')
    await create(home, folder, account)
  }
  refuseOtherMajor(data)
  await takeOwnership(data, account.server)
  return { data, password: readFileSync(join(folder, 'password'), 'utf8').trim() }
}

async function create(home: string, folder: string, account: Account): Promise<void> {
  const self = identify(process.pid)
  const unfinished = join(
    home,
    `postgres.new-${process.pid}-${self?.startTime ?? ''}-${randomBytes(3).toString('hex')}`,
  )
  const data = join(unfinished, 'data')
  const passwordFile = join(unfinished, 'password')
  await mkdir(data, { recursive: true, mode: 0o700 })
  await writeFile(passwordFile, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 })
  if (account.initdb) {
    await chown(data, account.initdb.uid, account.initdb.gid)
    await chown(passwordFile, account.initdb.uid, account.initdb.gid)
  }
  const passwordHandle = openSync(passwordFile, 'r')
  const { path, cwd } = dataArguments(account, data)
  const { code, output } = await runProgram(
    account,
    'initdb',
    [
      `--pgdata=${path}`,
      `--username=${user}`,
      '--pwfile=/dev/fd/3',
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale-provider=builtin', // needs no locale of the operating system
      '--builtin-locale=C.UTF-8',
      '--locale=C',
      '--no-instructions',
    ],
    { as: account.initdb, cwd, extra: passwordHandle },
  ).finally(() => closeSync(passwordHandle))
  if (code !== 0) {
    await rm(unfinished, { recursive: true, force: true })
    throw new EmbeddedPostgresFailed(
      `The embedded Postgres could not make its database. ${wayOut}`,
      lastLines(output),
    )
  }
  if (account.initdb) await chown(passwordFile, 0, 0)
  await takeOwnership(data, account.server)
  try {
    await rename(unfinished, folder)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    if (!existsSync(join(folder, 'data'))) throw error // else another process made it first
  }
}

/** What a killed process left behind; never what another one is making right now. */
async function removeUnfinished(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    const [, pid, startTime] = /^postgres\.new-(\d+)-(\d*)-/.exec(name) ?? []
    if (pid === undefined || startTime === undefined) continue
    const maker = identify(Number(pid))
    if (maker && isAlive({ ...maker, startTime })) continue
    await rm(join(home, name), { recursive: true, force: true })
  }
}

function refuseOtherMajor(data: string): void {
  let version
  try {
    version = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim()
  } catch (error) {
    throw new EmbeddedPostgresFailed(
      `${data} is not a whole Postgres database. Restore the home from a backup, or move the folder away to begin anew. ${wayOut}`,
      String(error),
    )
  }
  if (version !== major)
    throw new EmbeddedPostgresFailed(
      `The database in ${data} was made by Postgres ${version}, and this Signalbox brings Postgres ${major}. Start the version of Signalbox that made it, or dump it with that one and restore it into this one. ${wayOut}`,
    )
}

/** As root: the files may have been left by another way of running, as when a home moves out of a container. */
async function takeOwnership(data: string, server: Owner = { uid: 0, gid: 0 }): Promise<void> {
  if (process.getuid?.() !== 0 || statSync(data).uid === server.uid) return
  // The folder itself comes last: as long as it is not ours, the next start does this again.
  for (const name of await readdir(data, { recursive: true }))
    await lchown(join(data, name), server.uid, server.gid)
  await chown(data, server.uid, server.gid)
}

const lastLines = (text: string) => text.trim().split('\n').slice(-15).join('\n')
