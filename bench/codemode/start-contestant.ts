import { fork } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { installPackages } from '../../test/support/install-packages.ts'
import type { Asked, Told } from './contest.ts'

const here = import.meta.dirname

export interface Running {
  name: string
  /** Why it is not there. */
  missing?: string
  ask(asked: Asked): Promise<number[]>
  close(): Promise<unknown>
}

/** Us first, then those we are measured beside. One of those that cannot be had says why in the table. */
export async function startContestants(): Promise<[Running, ...Running[]]> {
  const ours = await start('Signalbox', 'signalbox.ts', [])
  if (ours.missing) throw new Error(ours.missing)
  const peers: Running[] = []
  for (const { name, file, packages } of [
    { name: 'isolated-vm 7.0.1', file: 'isolated-vm.ts', packages: ['isolated-vm-7'] },
    { name: '@utcp/code-mode 1.2.12', file: 'utcp.ts', packages: ['@utcp/code-mode', '@utcp/direct-call'] },
    { name: 'workerd 1.20261104.1', file: 'workerd.ts', packages: ['workerd'] },
  ])
    peers.push(
      await resolved(packages).then(
        (given) => start(name, file, given),
        (error: unknown) => absent(name, String(error)),
      ),
    )
  return [ours, ...peers]
}

async function resolved(packages: readonly string[]): Promise<string[]> {
  const place = await installPackages({
    folder: join(here, '../peers'),
    cache: join(here, '../../node_modules/.cache/bench-peers'),
    called: 'what we are measured beside',
  })
  const { resolve } = createRequire(join(place, 'package.json'))
  return packages.map((name) =>
    name === 'workerd' ? join(place, 'node_modules/.bin/workerd') : pathToFileURL(resolve(name)).href,
  )
}

const absent = (name: string, missing: string): Running => ({
  name,
  missing,
  ask: () => Promise.reject(new Error(missing)),
  close: () => Promise.resolve(),
})

async function start(name: string, file: string, given: readonly string[]): Promise<Running> {
  // isolated-vm needs a Node that was not started from a snapshot.
  const child = fork(join(here, 'contestants', file), given, {
    execArgv: ['--no-node-snapshot', '--expose-gc'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const gone = new Promise<Told>((resolve) => {
    child.once('exit', (code) => resolve({ type: 'failed', message: `Its process ended with ${code}` }))
  })
  const told = () => Promise.race([new Promise<Told>((resolve) => child.once('message', resolve)), gone])
  const ready = await told()
  if (ready.type === 'failed') {
    child.kill()
    return absent(name, ready.message)
  }
  return {
    name,
    async ask(asked) {
      const answer = told()
      child.send(asked)
      const message = await answer
      if (message.type === 'answer') return message.values
      throw new Error(`${name}: ${message.type === 'failed' ? message.message : message.type}`)
    },
    close: () => {
      if (child.connected) child.disconnect()
      return gone
    },
  }
}
