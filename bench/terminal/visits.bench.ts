import { registerShell } from '../../test/support/shell-agent.ts'
import { sitDown } from '../../test/support/terminal.ts'
import { startSignalbox } from '../../test/support/signalbox.ts'
import { percentile } from '../figure.ts'
import type { Figure } from '../figure.ts'
import { children, descriptors, terminalPid } from './viewers.ts'

const visits = 500

/** How long it takes to sit down at a terminal, and what is left of those who came and went. */
export default async function visit(): Promise<Figure[]> {
  const box = await startSignalbox({ env: { SHELL: '/bin/sh' } })
  try {
    const shell = await registerShell(box)
    const { sessionId } = await shell.run('true')
    await (await sitDown(box, { sessionId, window: 'shell' })).leave()
    const pid = terminalPid(box)
    await until(() => children(pid) === 0)
    const before = descriptors(pid)
    const times: number[] = []
    for (let count = 0; count < visits; count += 1) {
      const began = performance.now()
      const person = await sitDown(box, { sessionId, window: 'shell' })
      times.push(performance.now() - began)
      if (count % 2 === 0) await person.leave()
      else person.socket.terminate()
    }
    // Connections of the database go with the last of them, a little later.
    await until(() => children(pid) === 0 && descriptors(pid) <= before).catch(() => undefined)
    return [
      { name: 'from asking for a token to a window, p50', ours: percentile(times, 0.5), unit: 'ms' },
      {
        name: `processes left of ${visits} who came and went`,
        ours: children(pid),
        unit: '',
        target: { most: 1 },
      },
      {
        name: `descriptors left of ${visits} who came and went`,
        ours: descriptors(pid) - before,
        unit: '',
        target: { most: 3 },
      },
    ]
  } finally {
    await box.stop()
  }
}

async function until(isSo: () => boolean): Promise<void> {
  for (let looks = 0; looks < 300; looks += 1) {
    if (isSo()) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('It did not come to rest')
}
