import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { isGoneWithin, signalProcess } from './process-end.ts'
import { identify, isAlive } from './process-identity.ts'

/** The shell gives its process a name that tries to look like the rest of /proc/PID/stat. */
function startSleeper() {
  const child = spawn('sleep', ['60'], { argv0: 'a) Z 1 (b' })
  const identity = identify(child.pid ?? 0)
  if (!identity) throw new Error('it did not start')
  return { child, identity }
}

describe('a process identity', () => {
  it('is alive exactly as long as the process is', async () => {
    const { child, identity } = startSleeper()
    expect(isAlive(identity)).toBe(true)
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(isAlive(identity)).toBe(false)
    expect(identify(identity.pid)).toBeUndefined()
  })

  it('is not another process with the same pid', () => {
    const self = identify(process.pid)
    expect(self && isAlive(self)).toBe(true)
    expect(self && isAlive({ ...self, startTime: '1' })).toBe(false)
    expect(self && isAlive({ ...self, bootId: 'another boot' })).toBe(false)
  })

  it('is dead when only the corpse is left', async () => {
    // The shell never collects its child, which ends at once.
    const parent = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const [pid] = await once(parent.stdout, 'data')
    await expect.poll(() => identify(Number(pid))).toBeUndefined()
    parent.kill('SIGKILL')
    await once(parent, 'exit')
  })

  it.each([0, -1, 1.5, Number.NaN, 2 ** 40])('is nothing for the pid %s', (pid) => {
    expect(identify(pid)).toBeUndefined()
  })
})

describe('a signal to an identity', () => {
  it('does not reach a stranger who has the pid now', async () => {
    const { child, identity } = startSleeper()
    signalProcess({ ...identity, startTime: '1' }, 'SIGKILL')
    expect(await isGoneWithin(identity, 100)).toBe(false)
    signalProcess(identity, 'SIGKILL')
    expect(await isGoneWithin(identity, 5_000)).toBe(true)
    expect(child.signalCode ?? (await once(child, 'exit'))[1]).toBe('SIGKILL')
  })
})
