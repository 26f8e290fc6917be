import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { endMarked, findMarked } from './marked-processes.ts'

const mark = 'SIGNALBOX_TEST_MARK'
const value = `${process.pid}-${Date.now()}`

async function start(script: string, env: Record<string, string>) {
  const child = spawn('/bin/sh', ['-c', script], { env, stdio: ['ignore', 'pipe', 'ignore'] })
  await once(child.stdout, 'data')
  return child
}

it('finds those with exactly this mark, and their descendants, wherever they went', async () => {
  const ours = await start('(setsid sleep 600 &); echo up; sleep 600', { [mark]: value })
  const others = await start('echo up; exec sleep 600', { [mark]: `${value}0`, [`X${mark}`]: value })
  const found = () => findMarked(mark, [value]).map(({ pid }) => pid)
  await expect.poll(found, { timeout: 10_000 }).toHaveLength(3) // what it starts begins when it likes
  const pids = found()
  expect(pids).toContain(ours.pid)
  expect(pids).not.toContain(others.pid)

  expect(await endMarked(mark, [value], { graceMs: 1_000 })).toBe(true)
  expect(findMarked(mark, [value])).toEqual([])
  expect(findMarked(mark, [`${value}0`]).map(({ pid }) => pid)).toEqual([others.pid])
  expect(await endMarked(mark, ['nobody', `${value}0`], { graceMs: 0 })).toBe(true)
  expect(others.signalCode ?? (await once(others, 'exit'))[1]).toBe('SIGKILL')
})

it('asks before it kills', async () => {
  const own = `${value}-asked`
  const child = await start('trap "exit 3" TERM; echo up; while :; do sleep 0.05; done', { [mark]: own })
  const exited = once(child, 'exit')
  expect(await endMarked(mark, [own], { graceMs: 5_000 })).toBe(true)
  expect(await exited).toEqual([3, null])
})

it('finds nobody for nothing', async () => {
  expect(findMarked(mark, [])).toEqual([])
  expect(await endMarked(mark, ['nobody'], { graceMs: 1_000 })).toBe(true)
})
