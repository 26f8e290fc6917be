import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { insideOwner } from '#lib/inside-owner.ts'
import { onPath } from '#lib/on-path.ts'
import { listPids } from '#lib/process-list.ts'
import { childrenOf } from '#lib/process-stat.ts'
import { openNamespace } from './none/namespace.ts'
import { enclose } from './sandbox/enclose.ts'
import { findTools } from './sandbox/open.ts'
import { probeSandbox } from './sandbox/probe.ts'
import { planSandbox } from './sandbox/words.ts'

const { works, reason } = await probeSandbox()
const base = mkdtempSync(join(tmpdir(), 'killed-walls-'))
afterAll(() => rmSync(base, { recursive: true, force: true }))

const wordsOf = (pid: number) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  } catch {
    return []
  }
}
/** Those that carry this word, wherever they are now. */
const carrying = (word: string) => listPids().filter((pid) => wordsOf(pid).includes(word))

/** Has walls put up, kills what puts them up after so many milliseconds, and answers with how that ended. */
async function killedAfter<Walls>(
  ms: number,
  putUp: () => Promise<Walls>,
  deathOf: (walls: Walls) => Promise<unknown>,
): Promise<string> {
  const before = new Set(childrenOf(process.pid))
  const came = putUp().then(
    (walls) => deathOf(walls).then(() => 'dead'),
    (error: unknown) => (error instanceof Error ? 'refused' : 'odd'),
  )
  await wait(ms)
  const begun = childrenOf(process.pid).filter((pid) => !before.has(pid))
  expect(begun).toHaveLength(1)
  for (const pid of begun) process.kill(pid, 'SIGKILL')
  return Promise.race([came, wait(5_000, 'hangs')])
}

describe.skipIf(!works)(`walls that are killed while they are put up${works ? '' : ` (${reason})`}`, () => {
  it('of a sandbox: nobody waits for them, and nothing is left', { timeout: 120_000 }, async () => {
    const mark = `4545.${process.pid}`
    const owner = insideOwner()
    const folders = ['w', 'h', 'r', 's'].map((name) => join(base, name))
    for (const folder of folders) mkdirSync(folder)
    const [root, homes, hostRuntime, socketFolder] = folders as [string, string, string, string]
    const limits = { memoryMb: 64, cpus: 1, pids: 32 }
    const tools = findTools(process.env['PATH'] ?? '')
    const plan = planSandbox({ root, homes, mounts: [], limits }, { tools, owner, hostRuntime, socketFolder })
    const words = plan.putUp(['/bin/sleep', mark])
    for (let ms = 0; ms < 40; ms += 1) {
      const ended = await killedAfter(
        ms,
        () => enclose(words, { PATH: '/usr/bin:/bin' }, owner),
        ({ dead }) => dead,
      )
      expect(ended, `killed after ${ms} ms`).toMatch(/^(dead|refused)$/)
    }
    await expect.poll(() => carrying(mark)).toEqual([])
  })

  it('of a namespace: nobody waits for them, and nothing is left', { timeout: 120_000 }, async () => {
    const find = (name: string) => onPath(name, process.env['PATH'] ?? '') ?? ''
    const [bwrap, nsenter, setsid, env, tee] = ['bwrap', 'nsenter', 'setsid', 'env', 'tee'].map(find) as [
      string,
      string,
      string,
      string,
      string,
    ]
    // A folder of its own, by which its processes are known.
    const mark = join(base, 'hidden')
    mkdirSync(mark)
    for (let ms = 0; ms < 40; ms += 1) {
      const ended = await killedAfter(
        ms,
        () => openNamespace({ bwrap, nsenter, setsid, env, tee, hidden: [mark] }),
        ({ gone }) => gone,
      )
      expect(ended, `killed after ${ms} ms`).toMatch(/^(dead|refused)$/)
    }
    await expect.poll(() => carrying(mark)).toEqual([])
  })
})
