import { afterAll, beforeAll, expect, it } from 'vitest'
import { memoryOf, totalMb } from '../support/memory.ts'
import { registerShell } from '../support/shell-agent.ts'
import { startSignalbox } from '../support/signalbox.ts'
import type { Signalbox } from '../support/signalbox.ts'
import { sitDown } from '../support/terminal.ts'

// What a terminal takes once somebody has come, and has gone again. `npm run bench -- terminal` measures it at rest.

const patience = { timeout: 60_000, interval: 500 }
let box: Signalbox
beforeAll(async () => {
  box = await startSignalbox({ env: { SHELL: '/bin/sh' } })
}, 60_000)
afterAll(async () => {
  await box?.stop()
})

it(
  'comes to rest below what everything may take, with a viewer and after it',
  { timeout: 150_000 },
  async () => {
    const ofTerminal = () => memoryOf(box).find(({ name }) => name === 'terminal')?.ownMb ?? Number.NaN
    const { sessionId } = await (await registerShell(box)).run('true')
    const viewer = await sitDown(box, { sessionId, window: 'shell' })
    viewer.type('seq 1 20000\r')
    await expect.poll(() => viewer.words, patience).toContain('20000')
    await expect.poll(ofTerminal, patience).toBeLessThan(55)
    await expect.poll(() => totalMb(memoryOf(box)), patience).toBeLessThan(400)
    await viewer.leave()
    // Nothing of what looks at programs after a start stays either.
    const looked = async () => (await box.call('GET', '/discovery/scan')).body.data?.endedAt
    await expect.poll(looked, patience).toBeTruthy()
    await expect.poll(() => memoryOf(box).map(({ name }) => name), patience).not.toContain('discovery')
    await expect.poll(() => totalMb(memoryOf(box)), patience).toBeLessThan(340)
  },
)
