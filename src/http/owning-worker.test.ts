import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import type { Machine } from '#db/machines.ts'
import { newId } from '#lib/id.ts'
import { freshPool } from '../../test/support/postgres.ts'
import { askWorker } from './owning-worker.ts'

async function machineThat(answers: Parameters<typeof createServer>[1]): Promise<Machine> {
  const folder = mkdtempSync(join(tmpdir(), 'owning-worker-'))
  const server = createServer(answers)
  server.listen(join(folder, 'w.sock'))
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
    rmSync(folder, { recursive: true })
  })
  return { id: newId(), name: 'vm', url: `unix:${join(folder, 'w.sock')}` }
}

const ask = async (machine: Machine) =>
  askWorker((await freshPool()).db, machine, '/tools/call', {}, z.object({}))

test.each([
  ['before it answers', (request, response) => void response.destroy()],
  [
    'in the middle of its answer',
    (request, response) => {
      response.writeHead(200, { 'content-length': 100 })
      response.write('{"data":', () => response.destroy())
    },
  ],
] as [string, Parameters<typeof createServer>[1]][])(
  'of a worker that is killed %s it is told that nobody knows what came of it',
  async (_when, answers) => {
    await expect(ask(await machineThat(answers))).rejects.toMatchObject({
      code: 'machine_unavailable',
      message: expect.stringMatching(
        /^The worker on vm went away before it answered .*is not known\. It comes back by itself under `signalbox up`/,
      ),
    })
  },
)

test('of a worker that is not there nothing was asked', async () => {
  const machine = { id: newId(), name: 'vm', url: 'unix:/nowhere/at/all.sock' }
  await expect(ask(machine)).rejects.toMatchObject({
    code: 'machine_unavailable',
    message: expect.stringMatching(/^The worker on vm does not answer \(.*start it: signalbox worker$/),
  })
})
