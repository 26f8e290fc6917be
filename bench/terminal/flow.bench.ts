import { registerShell } from '../../test/support/shell-agent.ts'
import { sitDown } from '../../test/support/terminal.ts'
import { startSignalbox } from '../../test/support/signalbox.ts'
import { percentile } from '../figure.ts'
import type { Figure } from '../figure.ts'
import { openTmuxAlone } from './tmux-alone.ts'
import { echoes, nextPiece, residentMb, sees, terminalPid } from './viewers.ts'

/** What the target speaks of. */
const wantedMb = 200
const roundMb = 10
/** On a machine that has much else to do it is less, for both: the rates are what is compared. */
const longestMs = 100_000
const flood = `clear; yes | head -c ${roundMb}M; echo flowed-$((1+1))\r`

/** How fast what a program writes flows to a viewer, and how fast what somebody types comes back, beside tmux alone. */
export default async function flow(): Promise<Figure[]> {
  const box = await startSignalbox({ env: { SHELL: '/bin/sh' } })
  const tmux = await openTmuxAlone()
  try {
    const shell = await registerShell(box)
    const [one, two] = [await shell.run('true'), await shell.run('true')]
    const viewer = await sitDown(box, { sessionId: one.sessionId, window: 'shell' })
    const beside = await sitDown(box, { sessionId: one.sessionId, window: 'shell', readOnly: true })
    const other = await sitDown(box, { sessionId: two.sessionId, window: 'shell' })
    for (const person of [viewer, other]) {
      const ready = sees(person, 'ready-2')
      person.type('echo ready-$((1+1))\r')
      await ready
    }

    // Echo, at rest. A program that only reads: the terminal itself writes back what is typed.
    tmux.type('cat\r')
    other.type('cat\r')
    await new Promise((resolve) => setTimeout(resolve, 500))
    const ours = await echoes(
      150,
      (key) => other.type(key),
      () => nextPiece(other),
    )
    const theirs = await echoes(150, (key) => tmux.type(key), tmux.next)
    tmux.type('\x03')

    // The flood, while somebody types elsewhere.
    const pid = terminalPid(box)
    const before = residentMb(pid)
    let most = before
    const watching = setInterval(() => (most = Math.max(most, residentMb(pid))), 100)
    let isFlowing = false
    const meanwhile: number[] = []
    const typeMeanwhile = async () => {
      while (isFlowing)
        meanwhile.push(
          ...(await echoes(
            5,
            (key) => other.type(key),
            () => nextPiece(other),
          )),
        )
    }
    // In turns, so that whatever else the machine does is the same for both.
    let [took, alone, sizeMb] = [0, 0, 0]
    for (; sizeMb < wantedMb && took + alone < longestMs; sizeMb += roundMb) {
      isFlowing = true
      const typing = typeMeanwhile()
      const began = performance.now()
      const flowed = Promise.all([sees(viewer, 'flowed-2'), sees(beside, 'flowed-2')])
      viewer.type(flood)
      await flowed
      took += performance.now() - began
      isFlowing = false
      await typing
      const beganAlone = performance.now()
      tmux.type(flood)
      await tmux.until('flowed-2')
      alone += performance.now() - beganAlone
    }
    clearInterval(watching)

    const perSecond = (ms: number) => (sizeMb * 1.048576) / (ms / 1000)
    const least = Math.min(50, perSecond(alone) / 1.5)
    for (const person of [viewer, beside, other]) await person.leave()
    return [
      {
        name: `yes | head -c ${sizeMb}M to two viewers`,
        ours: perSecond(took),
        unit: 'MB/s',
        target: { least },
        peer: { name: 'tmux attach, one client', value: perSecond(alone) },
      },
      {
        name: 'a key until it is seen, p50',
        ours: percentile(ours, 0.5),
        unit: 'ms',
        target: { most: 15 },
        peer: { name: 'tmux attach', value: percentile(theirs, 0.5) },
      },
      {
        name: 'a key until it is seen, p95',
        ours: percentile(ours, 0.95),
        unit: 'ms',
        peer: { name: 'tmux attach', value: percentile(theirs, 0.95) },
      },
      {
        name: 'a key in another window meanwhile, p50',
        ours: percentile(meanwhile, 0.5),
        unit: 'ms',
        target: { most: 50 },
      },
      { name: 'a key in another window meanwhile, p95', ours: percentile(meanwhile, 0.95), unit: 'ms' },
      {
        name: 'memory that the terminal grew by in the flood',
        ours: most - before,
        unit: 'MB',
        target: { most: 64 },
      },
    ]
  } finally {
    tmux.close()
    await box.stop()
  }
}
