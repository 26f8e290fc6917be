import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { KeeperRecord } from '#contract/keeper.ts'
import type { DriverOnMachine } from '#contract/workspace.ts'
import { linksFolder } from '#lib/keeper-places.ts'
import { endProcess } from '#lib/process-end.ts'
import { prepareRuntimeFolder } from '#lib/runtime-folder.ts'
import { readRecord } from '../../src/main/up/record.ts'
import { startSignalbox } from '../support/signalbox.ts'
import type { Answer, Signalbox } from '../support/signalbox.ts'

const patience = { timeout: 20_000 }
let box: Signalbox
let agentId = ''
let sandbox: DriverOnMachine | undefined

beforeAll(async () => {
  box = await startSignalbox()
  const asked = { name: 'shell', binaryPath: '/bin/sh', workingDir: box.work }
  agentId = (await box.call('POST', '/agents', asked)).body.data.id
  const machines = (await box.call('GET', '/workspaces/drivers')).body.data
  sandbox = machines[0].drivers.find(({ driver }: DriverOnMachine) => driver === 'sandbox')
}, 60_000)
afterAll(async () => void (await box?.stop()))

const linksLeft = () => readdirSync(prepareRuntimeFolder(box.home)).filter((name) => name.startsWith('h-'))
const command = (session: string, text: string): Promise<Answer> =>
  box.call('POST', `/sessions/${session}/tools/command`, { command: text })

/** A session in a new sandbox that is up. */
async function openEnclosed(): Promise<string> {
  const made = await box.call('POST', '/workspaces', { driver: 'sandbox' })
  const opened = await box.call('POST', '/sessions', { agentId, workspaceId: made.body.data.id })
  const session: string = opened.body.data.id
  expect((await command(session, 'echo up')).body.data.stdout).toBe('up\n')
  return session
}

/** The keepers that have something inside walls. */
const enclosing = (): KeeperRecord[] =>
  readdirSync(join(box.home, 'keepers')).flatMap((id) => {
    const links = linksFolder('', id)
    if (!linksLeft().includes(links)) return []
    return [
      KeeperRecord.parse(JSON.parse(readFileSync(join(box.home, 'keepers', id, 'keeper.json'), 'utf8'))),
    ]
  })

it('of a killed keeper nothing stays in the folder for sockets', async (test) => {
  if (!sandbox?.works) test.skip(sandbox?.reason ?? 'no sandbox here')
  const session = await openEnclosed()
  const [keeper, ...others] = enclosing()
  expect(others).toEqual([])
  const before = linksLeft()
  expect(before).toHaveLength(1)
  process.kill(keeper!.identity.pid, 'SIGKILL')
  await expect.poll(linksLeft, patience).not.toContain(before[0])
  expect((await command(session, 'echo again')).body.data.stdout).toBe('again\n')
})

it('a worker that starts removes what belongs to no living keeper, and nothing else', async (test) => {
  if (!sandbox?.works) test.skip(sandbox?.reason ?? 'no sandbox here')
  const before = linksLeft()
  const session = await openEnclosed()
  const own = linksLeft().filter((name) => !before.includes(name))
  expect(own).toHaveLength(1)
  const stray = linksFolder(prepareRuntimeFolder(box.home), 'long gone')
  mkdirSync(join(stray, 'h-1'), { recursive: true })
  writeFileSync(join(stray, 'h-1', 'seccomp'), '')
  const worker = readRecord(box.home)!.children.find(({ name }) => name === 'worker')!
  await endProcess(worker, [{ signal: 'SIGKILL', patienceMs: 5_000 }])
  await expect.poll(linksLeft, patience).not.toContain(basename(stray))
  const answered = async () => (await command(session, 'echo still')).body.data?.stdout
  await expect.poll(answered, patience).toBe('still\n')
  expect(linksLeft()).toEqual(expect.arrayContaining(own))
})
