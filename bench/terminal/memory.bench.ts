import { setTimeout as wait } from 'node:timers/promises'
import { memoryOf, totalMb } from '../../test/support/memory.ts'
import { registerShell } from '../../test/support/shell-agent.ts'
import { startSignalbox } from '../../test/support/signalbox.ts'
import type { Signalbox } from '../../test/support/signalbox.ts'
import { sitDown } from '../../test/support/terminal.ts'
import type { Figure } from '../figure.ts'

/** What looks at programs after a start has gone by then. */
const restMs = 45_000
const quietMs = 12_000

/** Memory of everything before anybody has looked at a terminal, while somebody does, and once nobody does any more. */
export default async function memory(): Promise<Figure[]> {
  const box = await startSignalbox({ env: { SHELL: '/bin/sh' } })
  try {
    const shell = await registerShell(box)
    const { sessionId } = await shell.run('true')
    await wait(restMs)
    const before = figures(box, 'before the first viewer')
    const viewer = await sitDown(box, { sessionId, window: 'shell' })
    viewer.type('seq 1 20000\r')
    await wait(quietMs)
    const meanwhile = figures(box, 'with a viewer')
    await viewer.leave()
    await wait(quietMs)
    return [...before, ...meanwhile, ...figures(box, 'after the last has gone')]
  } finally {
    await box.stop()
  }
}

function figures(box: Signalbox, when: string): Figure[] {
  const all = memoryOf(box)
  const ofTerminal = all.filter(({ name }) => name === 'terminal')
  return [
    { name: `idle memory of everything, ${when}`, ours: totalMb(all), unit: 'MB', target: { most: 400 } },
    { name: `idle memory of the terminal, ${when}`, ours: totalMb(ofTerminal), unit: 'MB' },
  ]
}
