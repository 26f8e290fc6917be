import { isAlive } from '#lib/process-identity.ts'
import { expect } from 'vitest'
import { readRecord } from '../../src/main/up/record.ts'
import type { Signalbox } from './signalbox.ts'

/** Kills one of the processes that `up` looks after, and waits until it is dead. */
export async function killChild({ home }: Signalbox, name: 'web' | 'worker' | 'terminal'): Promise<void> {
  const child = readRecord(home)?.children.find((one) => one.name === name)
  if (!child) throw new Error(`There is no ${name}`)
  process.kill(child.pid, 'SIGKILL')
  await expect.poll(() => isAlive(child)).toBe(false)
}
