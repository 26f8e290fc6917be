import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { askAllToEnd, killAll } from './process-end-all.ts'
import { identify } from './process-identity.ts'
import { childrenOf } from './process-stat.ts'

async function startSleeper(script = 'echo up; exec sleep 600') {
  const child = spawn('/bin/sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] })
  await once(child.stdout, 'data')
  return { child, exited: once(child, 'exit'), identity: identify(child.pid ?? 0)! }
}

/** A search that misses it so many times, as with one that goes from process to process. */
const missing = (times: number, identity: ReturnType<typeof identify> & object) => {
  let left = times
  return () => {
    left -= 1
    return left < 0 && identify(identity.pid) ? [identity] : []
  }
}

it('kills also what was missed a few times', async () => {
  const { exited, identity } = await startSleeper()
  expect(await killAll(missing(4, identity), 5)).toBe(true)
  expect(await exited).toEqual([null, 'SIGKILL'])
})

it('asks also what was missed a few times', async () => {
  const { exited, identity } = await startSleeper()
  expect(await askAllToEnd(missing(4, identity), { graceMs: 5_000, looks: 5 })).toBe(true)
  expect(await exited).toEqual([null, 'SIGTERM'])
})

it('does not ask twice, and says when asking was not enough', async () => {
  const { child, exited, identity } = await startSleeper(
    'n=0; trap "n=\\$((n+1)); echo \\$n" TERM; echo up; while :; do sleep 0.01; done',
  )
  let heard = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (heard += text))
  expect(await askAllToEnd(missing(0, identity), { graceMs: 300, looks: 1 })).toBe(false)
  expect(heard).toBe('1\n')
  expect(await killAll(missing(0, identity), 1)).toBe(true)
  await exited
})

it('lets no shell go on to its next command', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'shell-'))
  try {
    for (let round = 0; round < 25; round += 1) {
      const next = join(folder, String(round))
      const { exited, identity } = await startSleeper(`echo up; sleep 600; echo on > ${next}`)
      await expect.poll(() => childrenOf(identity.pid)).toHaveLength(1)
      const [command] = childrenOf(identity.pid).flatMap((pid) => identify(pid) ?? [])
      // The command is found before its shell, which is the worse order.
      const find = () => [command!, identity].filter(({ pid }) => identify(pid) !== undefined)
      expect(await askAllToEnd(find, { graceMs: 5_000, looks: 1 })).toBe(true)
      expect(await exited).toEqual([null, 'SIGTERM'])
      expect(existsSync(next)).toBe(false)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})
