import { execFileSync, spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { endProcess, signalProcess } from '#lib/process-end.ts'
import { identify } from '#lib/process-identity.ts'
import type { ProcessIdentity } from '#lib/process-identity.ts'

// A Docker engine of our own, with everything it has in one folder. It has no bridge and touches no firewall: no container of
// ours has a network.

const upWithinMs = 60_000

export const socketIn = (folder: string): string => join(folder, 'docker.sock')

/** Starts one in the folder, unless it runs there already. Rejects with what it said. */
export async function startEngine(folder: string): Promise<void> {
  if (await answers(socketIn(folder))) return
  mkdirSync(join(folder, 'data'), { recursive: true })
  removeStalePids(folder)
  const said = openSync(join(folder, 'dockerd.log'), 'a')
  const child = spawn(
    'dockerd',
    [
      `--host=unix://${socketIn(folder)}`,
      `--pidfile=${join(folder, 'docker.pid')}`,
      `--data-root=${join(folder, 'data')}`,
      `--exec-root=${join(folder, 'exec')}`,
      '--bridge=none',
      '--iptables=false',
      '--ip-forward=false',
    ],
    { cwd: folder, detached: true, stdio: ['ignore', said, said] },
  )
  closeSync(said)
  let ended = false
  child.once('exit', () => (ended = true)).once('error', () => (ended = true))
  child.unref()
  for (const late = Date.now() + upWithinMs; !(await answers(socketIn(folder))); await wait(50)) {
    if (!ended && Date.now() < late) continue
    const words = readFileSync(join(folder, 'dockerd.log'), 'utf8')
    throw new Error(`dockerd did not come up: ${words.split('\n').slice(-12).join('\n')}`)
  }
}

/** Ends it with all its containers, and removes the folder. */
export async function stopEngine(folder: string): Promise<void> {
  const steps = [
    { signal: 'SIGTERM', patienceMs: 20_000 },
    { signal: 'SIGKILL', patienceMs: 5_000 },
  ] as const
  for (const identity of processesIn(folder)) await endProcess(identity, steps)
  clear(folder)
}

/** The same without waiting, for somebody who is about to exit. */
export function endEngineAtOnce(folder: string): void {
  for (const identity of processesIn(folder)) signalProcess(identity, 'SIGKILL')
  clear(folder)
}

/** The engine first: it ends containerd itself, which is left over when it was killed. */
export function processesIn(folder: string): ProcessIdentity[] {
  const files = { dockerd: 'docker.pid', containerd: 'exec/containerd/containerd.pid' }
  return Object.entries(files).flatMap(([name, file]) => livingIn(join(folder, file), name) ?? [])
}

/** A file that names a process which is gone, or is another by now, would keep dockerd from starting. */
function removeStalePids(folder: string): void {
  for (const [file, name] of [
    ['docker.pid', 'dockerd'],
    ['exec/containerd/containerd.pid', 'containerd'],
  ] as const)
    if (!livingIn(join(folder, file), name)) rmSync(join(folder, file), { force: true })
}

function livingIn(file: string, name: string): ProcessIdentity | undefined {
  try {
    const pid = Number(readFileSync(file, 'utf8'))
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === name ? identify(pid) : undefined
  } catch {
    return undefined
  }
}

function clear(folder: string): void {
  if (!existsSync(folder)) return
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
  for (const path of mounts.map((line) => line.split(' ')[1] ?? '').toReversed())
    if (path.startsWith(`${folder}/`)) execFileSync('umount', ['-l', path])
  rmSync(folder, { recursive: true, force: true })
}

function answers(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    request({ socketPath, path: '/_ping', agent: false }, (answer) => {
      answer.resume()
      resolve(answer.statusCode === 200)
    })
      .once('error', () => resolve(false))
      .end()
  })
}
