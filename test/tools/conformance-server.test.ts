import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, onTestFinished, test, vi } from 'vitest'
import { startSignalbox } from '../support/signalbox.ts'
import type { Signalbox } from '../support/signalbox.ts'
import {
  conformanceProgram,
  keepResults,
  readSummary,
  required,
  shortcomings,
} from './conformance-results.ts'
import { openTokenProxy } from './conformance/token-proxy.ts'
import type { TokenProxy } from './conformance/token-proxy.ts'

// The scenarios look at our endpoint, and through it at a program that is one of our sources: what passes here has come all the way.

const program = join(import.meta.dirname, 'conformance/program.ts')
const eraOf = { '2025-11-25': 'legacy', '2026-07-28': 'modern' } as const
type Revision = keyof typeof eraOf

let signalbox: Signalbox
let proxy: TokenProxy
beforeAll(async () => {
  signalbox = await startSignalbox({ env: { ALLOWED_BINARY_DIRS: join(process.execPath, '..') } })
  proxy = await openTokenProxy(signalbox.url, signalbox.token)
  for (const era of Object.values(eraOf)) {
    const config = { transport: 'stdio', command: process.execPath, args: [program, era] }
    const added = await signalbox.call('POST', '/mcp/add', { name: era, config })
    if (added.status !== 201) throw new Error(JSON.stringify(added.body))
  }
  await vi.waitUntil(
    async () => {
      const { body } = await signalbox.call('GET', '/mcp/health')
      return body.data.summary.healthy === 2
    },
    { timeout: 60_000, interval: 200 },
  )
})
afterAll(async () => {
  await proxy?.close()
  await signalbox?.stop()
})

async function runSuite(revision: Revision): Promise<{ printed: string; complaints: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-conformance-server-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const url = `${proxy.url}/mcp/raw/${eraOf[revision]}`
  const suite = spawn(
    process.execPath,
    [
      conformanceProgram(inject('outsideTools')),
      'server',
      '--url',
      url,
      '--requirements',
      revision,
      '--output-dir',
      folder,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let printed = ''
  for (const stream of [suite.stdout, suite.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (printed += text))
  await once(suite, 'close')
  return { printed, complaints: complaintsIn(folder) }
}

interface Check {
  id: string
  status: string
  errorMessage?: string
}

/** What was wrong, in the words of the suite. */
function complaintsIn(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const checks = JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')) as Check[]
    return checks.flatMap(({ id, status, errorMessage }) =>
      status === 'FAILURE' && !name.startsWith('server-tasks-') ? [`${id}: ${errorMessage}`] : [],
    )
  })
}

test.each(['2025-11-25', '2026-07-28'] as const)(
  'our endpoint does all that %s requires, through a source',
  async (revision) => {
    const scored = required(inject('outsideTools'), revision, 'server')
    const { printed, complaints } = await runSuite(revision)
    const results = readSummary(printed, scored)
    process.stdout.write(`\n${keepResults('server', revision, results)}`)
    const wrong = shortcomings(results, scored)
    expect({ wrong, complaints }).toEqual({ wrong: [], complaints: [] })
  },
  120_000,
)
