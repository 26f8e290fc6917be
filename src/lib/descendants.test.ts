import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { watchDescendants } from './descendants.ts'
import { endProcess } from './process-end.ts'

test('a descendant that left group, session and environment is remembered after its parent is dead', async () => {
  const parent = spawn('sh', ['-c', 'env -i setsid sh -c "echo up; exec sleep 300" & wait'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const descendants = watchDescendants(parent.pid!, 60_000)
  onTestFinished(async () => {
    for (const one of descendants.living()) await endProcess(one, [{ signal: 'SIGKILL', patienceMs: 5_000 }])
    descendants.close()
  })
  await once(parent.stdout, 'data')
  expect(descendants.living()).toHaveLength(1)
  const gone = once(parent, 'exit')
  parent.kill('SIGKILL')
  await gone
  const [left, ...others] = descendants.living()
  expect(others).toEqual([])
  await endProcess(left!, [{ signal: 'SIGKILL', patienceMs: 5_000 }])
  expect(descendants.living()).toEqual([])
})
