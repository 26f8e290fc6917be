import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import {
  conformanceProgram,
  keepResults,
  readSummary,
  required,
  shortcomings,
} from './conformance-results.ts'

const driver = join(import.meta.dirname, 'conformance-client.ts')

// The suite starts all of them at once, and they wait for one another.
const patienceOfOne = 170_000

/** Runs what a revision requires of a client, against ours. Answers with what was printed. */
async function runSuite(revision: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-conformance-client-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const given = ['--requirements', revision, '--timeout', String(patienceOfOne), '--output-dir', folder]
  const suite = spawn(
    process.execPath,
    [
      conformanceProgram(inject('outsideTools')),
      'client',
      '--command',
      `"${process.execPath}" "${driver}"`,
      ...given,
    ],
    {
      env: {
        ...process.env,
        CONFORMANCE_QUEUE: basename(folder),
        NODE_COMPILE_CACHE: join(folder, 'compiled'),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  onTestFinished(() => void suite.kill('SIGKILL'))
  let printed = ''
  for (const stream of [suite.stdout, suite.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (printed += text))
  await once(suite, 'close')
  return printed
}

test.each(['2025-11-25', '2026-07-28'])(
  'our client does all that %s requires',
  async (revision) => {
    const scored = required(inject('outsideTools'), revision, 'client')
    const printed = await runSuite(revision)
    const results = readSummary(printed, scored)
    process.stdout.write(`\n${keepResults('client', revision, results)}`)
    const short = shortcomings(results, scored)
    if (short.length > 0) process.stdout.write(printed)
    expect(short).toEqual([])
  },
  200_000,
)
