import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { MARK } from '#contract/keeper-protocol.ts'
import { KeeperRecord } from '#contract/keeper.ts'
import { readMachineId } from '#lib/home.ts'
import { endMarked, findMarked } from '#lib/marked-processes.ts'
import { endProcess } from '#lib/process-end.ts'
import { identify, isAlive } from '#lib/process-identity.ts'
import { readRecord } from '../../src/main/up/record.ts'
import {
  logOf,
  readExecution,
  registerScript,
  startExecution,
  untilEnded,
  untilExecution,
} from '../support/commands.ts'
import { startWorker } from '../support/lone-worker.ts'
import type { LoneWorker } from '../support/lone-worker.ts'
import { freshDatabase } from '../support/postgres.ts'
import { startSignalbox } from '../support/signalbox.ts'
import type { Signalbox } from '../support/signalbox.ts'

// A pace at which being silent is noticed within a test's time.
const hurried = { HEARTBEAT_INTERVAL_MS: '300', STALE_AFTER_MS: '1500', LOST_AFTER_MS: '600000' }
/** Counts to forty within four seconds. */
const counting = 'for i in $(seq 40); do echo line $i; sleep 0.1; done'
const wholeLog = Array.from({ length: 40 }, (_, index) => `line ${index + 1}\n`).join('')

const workerOf = (home: string) => readRecord(home)!.children.find(({ name }) => name === 'worker')!
const keepersOf = (home: string): KeeperRecord[] =>
  readdirSync(join(home, 'keepers')).flatMap((id) => {
    try {
      return [KeeperRecord.parse(JSON.parse(readFileSync(join(home, 'keepers', id, 'keeper.json'), 'utf8')))]
    } catch {
      return []
    }
  })
const isRunning = ({ status, logBytes }: { status: string; logBytes: number }) =>
  status === 'running' && logBytes > 0

/** The keeper that holds this execution: its spool lies in the keeper's folder. */
function keeperOf(home: string, executionId: string): KeeperRecord {
  const keeper = keepersOf(home).find(({ keeperId }) =>
    readdirSync(join(home, 'keepers', keeperId)).includes(`${executionId}.ndjson`),
  )
  if (!keeper) throw new Error(`No keeper holds ${executionId}`)
  return keeper
}

describe('when parts of a Signalbox die', () => {
  let box: Signalbox
  let count = ''
  beforeAll(async () => {
    box = await startSignalbox({ env: hurried })
    count = await registerScript(box, counting)
  })
  afterAll(async () => void (await box.stop()))

  test('a killed worker comes back, finds the agent alive, and misses nothing', async () => {
    const { id } = await startExecution(box, count)
    const { pid } = await untilExecution(box, id, isRunning)
    await endProcess(workerOf(box.home), [{ signal: 'SIGKILL', patienceMs: 5_000 }])
    expect(isAlive(identify(pid!)!)).toBe(true)
    const ended = await untilEnded(box, id)
    expect(ended).toMatchObject({ status: 'succeeded', exitCode: 0, pid })
    expect(await logOf(box, id)).toBe(wholeLog)
  })

  test('what ends while the worker is dead is told truthfully when it is back', async () => {
    const { id } = await startExecution(
      box,
      await registerScript(box, 'echo begun; sleep 1; echo over; exit 5'),
    )
    await untilExecution(box, id, isRunning)
    const worker = workerOf(box.home)
    process.kill(worker.pid, 'SIGSTOP') // as good as dead, and not replaced before we say so
    await wait(1_500)
    await endProcess(worker, [{ signal: 'SIGKILL', patienceMs: 5_000 }])
    expect(await untilEnded(box, id)).toMatchObject({
      status: 'failed',
      exitCode: 5,
      error: 'Exited with code 5',
    })
    expect(await logOf(box, id)).toBe('begun\nover\n')
  })

  test('a killed keeper takes its agents along, those that hid too, and the execution says so', async () => {
    const hiding = 'echo here; (setsid sleep 300 >/dev/null 2>&1 &); sleep 300'
    const { id } = await startExecution(box, await registerScript(box, hiding))
    await untilExecution(box, id, isRunning)
    expect([...findMarked(MARK, [id])].length).toBeGreaterThanOrEqual(2)
    process.kill(keeperOf(box.home, id).identity.pid, 'SIGKILL')
    const ended = await untilEnded(box, id)
    expect(ended).toMatchObject({
      status: 'failed',
      exitCode: null,
      error: expect.stringContaining('keeper died'),
    })
    expect([...findMarked(MARK, [id])]).toEqual([])
    expect(await logOf(box, id)).toBe('here\n')
    const next = await startExecution(box, count)
    expect((await untilEnded(box, next.id)).status).toBe('succeeded')
  })

  test('a frozen keeper is waited for: silence alone ends nothing', async () => {
    const { id } = await startExecution(box, count)
    await untilExecution(box, id, isRunning)
    const { identity } = keeperOf(box.home, id)
    process.kill(identity.pid, 'SIGSTOP')
    await wait(3_000)
    expect(await readExecution(box, id)).toMatchObject({ status: 'running', error: null })
    process.kill(identity.pid, 'SIGCONT')
    expect(await untilEnded(box, id)).toMatchObject({ status: 'succeeded' })
    expect(await logOf(box, id)).toBe(wholeLog)
  })

  test('an answer that is cancelled while the worker is dead is cancelled when it is back', async () => {
    const { id } = await startExecution(box, await registerScript(box, 'echo on; sleep 300'))
    await untilExecution(box, id, isRunning)
    const worker = workerOf(box.home)
    process.kill(worker.pid, 'SIGSTOP')
    expect((await box.call('POST', `/executions/${id}/cancel`)).status).toBe(202)
    expect((await readExecution(box, id)).status).toBe('cancelling')
    await endProcess(worker, [{ signal: 'SIGKILL', patienceMs: 5_000 }])
    expect((await untilEnded(box, id)).status).toBe('cancelled')
    expect([...findMarked(MARK, [id])]).toEqual([])
  })

  test('a folder that nobody can make sense of disturbs nothing', async () => {
    const strange = join(box.home, 'keepers', 'strange')
    mkdirSync(strange)
    writeFileSync(join(strange, 'keeper.json'), '{')
    const { id } = await startExecution(box, count)
    expect((await untilEnded(box, id)).status).toBe('succeeded')
    await wait(2_000) // longer than it takes to be called unreachable
    const { body } = await box.call('GET', '/workers/status')
    expect(body.data[0].state).toBe('up')
    rmSync(strange, { recursive: true })
  })

  test('a frozen keeper does not keep anyone from cancelling', async () => {
    const { id } = await startExecution(box, await registerScript(box, 'echo on; sleep 300'))
    await untilExecution(box, id, isRunning)
    process.kill(keeperOf(box.home, id).identity.pid, 'SIGSTOP')
    await box.call('POST', `/executions/${id}/cancel`)
    expect((await untilEnded(box, id, 40_000)).status).toBe('cancelled')
    expect([...findMarked(MARK, [id])]).toEqual([])
  })

  test('Ctrl-C ends everything within ten seconds, agents that will not too, and says why', async () => {
    const database = await freshDatabase()
    const other = await startSignalbox({ env: { ...hurried, DATABASE_URL: database.url } })
    const again: Signalbox[] = []
    onTestFinished(async () => {
      for (const one of again) await one.stop()
      rmSync(other.home, { recursive: true, force: true })
      await database.drop()
    })
    const { id } = await startExecution(
      other,
      await registerScript(other, "trap '' TERM; echo on; while :; do sleep 1; done"),
    )
    await untilExecution(other, id, isRunning)
    const asked = Date.now()
    other.process.kill('SIGINT')
    await new Promise((resolve) => other.process.once('exit', resolve))
    expect(Date.now() - asked).toBeLessThan(10_000)
    expect([...findMarked(MARK, [id])]).toEqual([])
    expect(keepersOf(other.home).filter(({ identity }) => isAlive(identity))).toEqual([])
    again.push(await startSignalbox({ home: other.home, env: { ...hurried, DATABASE_URL: database.url } }))
    expect(await readExecution(again[0]!, id)).toMatchObject({ status: 'failed', error: 'Worker shutdown' })
    await other.stop()
  })
})

test('Ctrl-C ends agents also when the worker has died a moment before', async () => {
  const box = await startSignalbox({ env: hurried })
  const { id } = await startExecution(box, await registerScript(box, 'echo on; sleep 300'))
  await untilExecution(box, id, isRunning)
  process.kill(workerOf(box.home).pid, 'SIGKILL')
  box.process.kill('SIGINT')
  await new Promise((resolve) => box.process.once('exit', resolve))
  expect([...findMarked(MARK, [id])]).toEqual([])
  expect(keepersOf(box.home).filter(({ identity }) => isAlive(identity))).toEqual([])
  await box.stop()
})

describe('two machines on one Postgres', () => {
  let box: Signalbox
  let database: Awaited<ReturnType<typeof freshDatabase>>
  const workers: LoneWorker[] = []
  const folders: string[] = []

  beforeAll(async () => {
    database = await freshDatabase()
    box = await startSignalbox({ env: { ...hurried, DATABASE_URL: database.url } })
  })
  afterEach(async () => {
    for (const worker of workers.splice(0)) {
      worker.process.kill('SIGCONT')
      worker.process.kill('SIGTERM')
      await worker.exited
    }
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
  })
  afterAll(async () => {
    await box.stop()
    await database.drop()
  })

  const newFolder = (name: string) => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), `signalbox-${name}-`)))
    folders.push(folder)
    return folder
  }

  /** A second machine, up, with its id. */
  async function another(
    env: Record<string, string> = {},
    home = newFolder('home'),
    work = newFolder('work'),
  ) {
    const worker = startWorker(home, database.url, { ...hurried, ALLOWED_WORKING_DIRS: work, ...env })
    workers.push(worker)
    const machineId = readMachineId(home)
    await untilWorker(machineId, 'up')
    return { worker, home, work, machineId }
  }

  async function untilWorker(machineId: string, state: string): Promise<void> {
    await expect.poll(async () => (await workerStatus(machineId))?.state, { timeout: 15_000 }).toBe(state)
  }

  async function workerStatus(machineId: string) {
    const { body } = await box.call('GET', '/workers/status')
    return body.data.find((one: { machineId: string }) => one.machineId === machineId)
  }

  const scriptOn = (machine: { machineId: string; work: string }, script: string) =>
    registerScript(box, script, { agent: { machineId: machine.machineId, workingDir: machine.work } })

  /** Kills what a machine that has gone would have taken along. */
  function endKeepers(home: string): void {
    for (const { identity } of keepersOf(home)) if (isAlive(identity)) process.kill(identity.pid, 'SIGKILL')
  }

  test('each runs what is its own, at the same time', async () => {
    const machine = await another()
    const [here, there] = [
      await registerScript(box, 'echo here; sleep 1'),
      await scriptOn(machine, 'echo there; sleep 1'),
    ]
    const started = await Promise.all([here, there, here, there].map((id) => startExecution(box, id)))
    const ended = await Promise.all(started.map(({ id }) => untilEnded(box, id)))
    expect(ended.map(({ status }) => status)).toEqual(Array(4).fill('succeeded'))
    const ran = new Set(ended.map(({ workerId }) => workerId))
    expect(ran).toEqual(new Set([machine.machineId, readMachineId(box.home)]))
    machine.worker.process.kill('SIGTERM')
    expect(await machine.worker.exited).toBe(0)
  })

  test('a worker that is told to stop leaves its agents alone, and the next one takes them up', async () => {
    const machine = await another()
    const { id } = await startExecution(box, await scriptOn(machine, counting))
    const { pid } = await untilExecution(box, id, isRunning)
    machine.worker.process.kill('SIGTERM')
    expect(await machine.worker.exited).toBe(0)
    expect(isAlive(identify(pid!)!)).toBe(true)
    await untilWorker(machine.machineId, 'stopped')
    await another({}, machine.home, machine.work)
    expect(await untilEnded(box, id)).toMatchObject({ status: 'succeeded', pid })
    expect(await logOf(box, id)).toBe(wholeLog)
  })

  test('a worker that was frozen, replaced and thawed is refused and goes', async () => {
    const machine = await another()
    const { id } = await startExecution(box, await scriptOn(machine, counting))
    const { pid } = await untilExecution(box, id, isRunning)
    machine.worker.process.kill('SIGSTOP')
    const next = await another({}, machine.home, machine.work)
    await untilExecution(box, id, ({ logLines }) => logLines > 20)
    machine.worker.process.kill('SIGCONT')
    expect(await machine.worker.exited).toBe(75)
    expect(await untilEnded(box, id)).toMatchObject({ status: 'succeeded', pid })
    expect(await logOf(box, id)).toBe(wholeLog)
    expect(next.worker.process.exitCode).toBeNull()
  })

  test('a second worker for a home whose worker lives is turned away', async () => {
    const machine = await another()
    const second = startWorker(machine.home, database.url, hurried)
    expect(await second.exited).toBe(75)
    expect(second.log()).toContain('already runs')
  })

  test('a machine that is gone is out of reach, then lost; when it returns it ends what was given up', async () => {
    const machine = await another()
    const { id } = await startExecution(box, await scriptOn(machine, 'echo on; sleep 300'))
    await untilExecution(box, id, isRunning)
    machine.worker.process.kill('SIGKILL')
    await machine.worker.exited
    await untilWorker(machine.machineId, 'unreachable')
    const away = await untilExecution(box, id, ({ unreachableSince }) => unreachableSince !== null)
    expect(away.status).toBe('running') // nobody here can know better
    await giveUpAfter('2000')
    const lost = await untilEnded(box, id)
    expect(lost).toMatchObject({ status: 'failed', error: 'machine lost', unreachableSince: null })
    expect([...findMarked(MARK, [id])].length).toBeGreaterThan(0)
    await another({}, machine.home, machine.work)
    await expect.poll(() => [...findMarked(MARK, [id])], { timeout: 15_000 }).toEqual([])
    expect(await readExecution(box, id)).toEqual(lost)
  })

  /** A third machine with less patience: anyone may give up on a silent one. */
  const giveUpAfter = (ms: string) => another({ LOST_AFTER_MS: ms })

  test('a spool that the disk has damaged is read as far as it goes, and that is said', async () => {
    const machine = await another()
    const script = 'for i in 1 2 3 4 5; do echo line $i; sleep 0.2; done; sleep 300'
    const { id } = await startExecution(box, await scriptOn(machine, script))
    await untilExecution(box, id, ({ logLines }) => logLines > 0)
    machine.worker.process.kill('SIGSTOP') // so that not everything is copied yet
    await wait(1_500)
    machine.worker.process.kill('SIGKILL')
    await machine.worker.exited
    const spool = join(machine.home, 'keepers', keeperOf(machine.home, id).keeperId, `${id}.ndjson`)
    endKeepers(machine.home)
    await endMarked(MARK, [id], { graceMs: 0 })
    const lines = readFileSync(spool, 'utf8').split('\n')
    lines[4] = '\0'.repeat(20)
    writeFileSync(spool, lines.join('\n'))
    await another({}, machine.home, machine.work)
    expect(await untilEnded(box, id)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('damaged'),
    })
    expect(await logOf(box, id)).toBe('line 1\nline 2\nline 3\n')
  })

  test('after a reboot nothing is running any more, and nobody says so', async () => {
    const machine = await another()
    const { id } = await startExecution(box, await scriptOn(machine, 'echo on; sleep 300'))
    await untilExecution(box, id, isRunning)
    machine.worker.process.kill('SIGKILL')
    await machine.worker.exited
    const keeper = keeperOf(machine.home, id)
    endKeepers(machine.home)
    expect(await endMarked(MARK, [id], { graceMs: 0 })).toBe(true)
    // What its folder would look like: written in another boot, by a process whose pid may be anybody's now.
    const file = join(machine.home, 'keepers', keeper.keeperId, 'keeper.json')
    const identity = { ...identify(process.pid)!, bootId: 'another' }
    writeFileSync(file, JSON.stringify({ ...keeper, identity }))
    await another({}, machine.home, machine.work)
    expect(await untilEnded(box, id)).toMatchObject({ status: 'failed', error: 'The machine was restarted' })
    expect(await logOf(box, id)).toBe('on\n')
  })
})
