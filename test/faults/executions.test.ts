import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { Execution } from '#contract/execution.ts'
import { isLive } from '#contract/execution.ts'
import { seeded } from '../support/seeded.ts'
import { startSignalbox } from '../support/signalbox.ts'
import type { Signalbox } from '../support/signalbox.ts'
import { allFaults, livingKeepers, markedProcesses } from './executions/faults.ts'
import { keepRunning, truthOf } from './executions/load.ts'

const rounds = Number(process.env['ROUNDS'] ?? 30)
const agent = join(import.meta.dirname, 'executions/counting-agent.sh')

test(`${rounds} random faults under load: nothing is lost or doubled, nothing lies, nothing is left running`, async () => {
  const random = seeded()
  const home = mkdtempSync(join(tmpdir(), 'signalbox-home-'))
  const truth = mkdtempSync(join(tmpdir(), 'signalbox-truth-'))
  mkdirSync(join(home, 'keepers'), { mode: 0o700 })
  // A disk of its own for the spools, small enough to be filled.
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=32m,mode=700', 'tmpfs', join(home, 'keepers')])
  onTestFinished(() => {
    execFileSync('umount', ['-l', join(home, 'keepers')])
    for (const folder of [home, truth]) rmSync(folder, { recursive: true, force: true })
  })
  const box = await startSignalbox({
    home,
    env: {
      HEARTBEAT_INTERVAL_MS: '1000',
      STALE_AFTER_MS: '6000',
      MIN_FREE_DISK: '1MB',
      ALLOWED_BINARY_DIRS: join(import.meta.dirname, 'executions'),
    },
  })
  onTestFinished(async () => void (await box.stop()))
  const capabilities = await Promise.all(
    ['one', 'two', 'three'].map((folder) => register(box, truth, folder)),
  )
  const load = keepRunning(box, random, { capabilities, atOnce: 6 })
  const watch = watchForLies(box)

  // Other suites may run executions of their own on this machine.
  const isOurs = (execution: string) => load.acknowledged.some(({ id }) => id === execution)
  const faults = allFaults(home, random, isOurs)
  const happened: string[] = []
  for (let round = 0; round < rounds; round++) {
    await wait(500 + random.below(2_000))
    // Every one of them comes up in each dozen rounds, in an order of its own.
    const place = round % faults.length
    if (place === 0) random.shuffle(faults)
    const fault = faults[place]!
    happened.push(fault.name)
    await fault.happen()
  }

  await load.stop()
  const executions = await settled(box)
  const lies = await watch.stop()
  const complaints = await inspect(box, truth, executions, load.acknowledged)
  const byStatus = Object.groupBy(executions, ({ status }) => status)
  const counts = Object.entries(byStatus).map(([status, of]) => `${of.length} ${status}`)
  process.stdout.write(`${happened.length} faults, ${executions.length} executions: ${counts.join(', ')}\n`)

  expect(load.refusals).toEqual([])
  expect(complaints).toEqual([])
  expect(lies).toEqual([])
  const ids = new Set(executions.map(({ id }) => id))
  expect(markedProcesses().filter(({ execution }) => ids.has(execution))).toEqual([])
  expect(executions.length).toBeGreaterThan(rounds)
  expect(await box.stop()).toBe(0)
  expect(livingKeepers(home)).toEqual([])
})

async function register(box: Signalbox, truth: string, folder: string): Promise<string> {
  mkdirSync(join(box.work, folder))
  const { body: registered } = await box.call('POST', '/agents', {
    name: `counting ${folder}`,
    binaryPath: agent,
    workingDir: join(box.work, folder),
  })
  const { body } = await box.call('POST', `/agents/${registered.data.id}/capabilities`, {
    key: 'count',
    interactionMode: 'template',
    commandTokens: [truth, '{{name}}', '{{lines}}', '{{mode}}'],
    argsSchema: {
      type: 'object',
      properties: { name: { type: 'string' }, lines: { type: 'integer' }, mode: { type: 'string' } },
      required: ['name', 'lines', 'mode'],
    },
  })
  return body.data.id
}

/** Looks twice a second for a state that has been false for 15 s: running without a process, or a process without a run. */
function watchForLies(box: Signalbox) {
  const since = new Map<string, number>()
  const lies = new Set<string>()
  let watching = true
  async function look(): Promise<void> {
    const started = await Promise.all(
      ['running', 'cancelling'].map((one) => listExecutions(box, `&status=${one}`)),
    )
    const marked = new Set(markedProcesses().map(({ execution }) => execution))
    const running = new Set(started.flat().map(({ id }) => id))
    const suspects = new Set<string>()
    for (const id of running) if (!marked.has(id)) suspects.add(`${id} runs without a process`)
    for (const id of marked) {
      if (running.has(id)) continue
      const { body } = await box.call('GET', `/executions/${id}`)
      if (body.data && !isLive(body.data.status))
        suspects.add(`${id} is ${body.data.status} and has a process`)
    }
    for (const suspect of since.keys()) if (!suspects.has(suspect)) since.delete(suspect)
    for (const suspect of suspects) {
      const first = since.get(suspect) ?? Date.now()
      since.set(suspect, first)
      if (Date.now() - first > 15_000) lies.add(suspect)
    }
  }
  const watched = (async () => {
    while (watching) {
      await look().catch(() => undefined) // web is away
      await wait(500)
    }
  })()
  return {
    async stop() {
      watching = false
      await watched
      return [...lies]
    },
  }
}

/** All executions once none is live any more, which must be soon: every agent here ends by itself within seconds. */
async function settled(box: Signalbox): Promise<Execution[]> {
  for (const late = Date.now() + 45_000; ; await wait(250)) {
    const all = await listExecutions(box).catch(() => undefined)
    if (all?.every(({ status }) => !isLive(status))) return all
    if (Date.now() > late) {
      const live = all?.filter(({ status }) => isLive(status)).map(({ id, status }) => `${id} ${status}`)
      throw new Error(`Not all executions have ended: ${live?.join(', ')}\n${box.log()}`)
    }
  }
}

async function listExecutions(box: Signalbox, filter = ''): Promise<Execution[]> {
  const all: Execution[] = []
  for (let page = 1; ; page++) {
    const { status, body } = await box.call('GET', `/executions?pageSize=500&page=${page}${filter}`)
    if (status !== 200) throw new Error(`The list of executions answered ${status}`)
    all.push(...body.data)
    if (all.length >= body.meta.total) return all
  }
}

/** Compares what Signalbox says of each execution with its log, its events, its reader, and the agent's own word. */
async function inspect(
  box: Signalbox,
  truth: string,
  executions: Execution[],
  acknowledged: { id: string; reader: { text(): string } }[],
): Promise<string[]> {
  const complaints: string[] = []
  const known = new Set(executions.map(({ id }) => id))
  for (const { id } of acknowledged) if (!known.has(id)) complaints.push(`${id} was acknowledged and is lost`)
  const readers = new Map(acknowledged.map(({ id, reader }) => [id, reader]))
  for (const execution of executions) {
    const { id, status, error } = execution
    const complain = (what: string) => complaints.push(`${id} (${status}, ${error}): ${what}`)
    const log = await textOf(box, `/executions/${id}/logs`)
    const lines = log.split('\n').filter((line) => / line \d+$/.test(line))
    const { name, lines: total } = execution.args as { name: string; lines: number }
    const wrong = lines.findIndex((line, index) => line !== `${name} line ${index + 1}`)
    if (wrong !== -1) complain(`line ${wrong + 1} of its log is "${lines[wrong]}"`)
    if (status === 'succeeded' && lines.length !== total) complain(`${lines.length} of ${total} lines`)
    const { starts, finished } = truthOf(truth, name)
    if (starts > 1) complain(`was started ${starts} times`)
    if (status === 'succeeded' && !finished) complain('never finished')
    if (starts > 0 && error === 'Cancelled before it started') complain('ran although it did not')
    const read = readers.get(id)?.text()
    if (read !== undefined && read !== log)
      complain(`its reader has ${read.length} of ${log.length} characters`)
    const { body } = await box.call('GET', `/sessions/${execution.sessionId}/events?limit=1000`)
    const seqs: number[] = body.data.map((event: { seq: number }) => event.seq)
    if (seqs.some((seq, index) => seq !== index + 1)) complain(`its events are ${seqs.join(' ')}`)
  }
  return complaints
}

async function textOf(box: Signalbox, path: string): Promise<string> {
  const response = await fetch(`${box.url}/api/v1${path}`, {
    headers: { authorization: `Bearer ${box.token}` },
  })
  return response.text()
}
