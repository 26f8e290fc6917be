// `npm test`: every suite within its minutes, then one plain line that counts. Arguments name suites; none means all.
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { missingTools } from './missing-tools.ts'

const minutes: Record<string, number> = { unit: 5, system: 5, browser: 5, faults: 6 }
const root = join(import.meta.dirname, '..')

interface Outcome {
  passed: number
  failed: number
  skipped: number
}

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !(name in minutes))
if (unknown.length > 0) {
  process.stderr.write(
    `There is no suite ${unknown.join(', ')}; there are ${Object.keys(minutes).join(', ')}.\n`,
  )
  process.exit(1)
}

const missing = missingTools()
const reports = await mkdtemp(join(tmpdir(), 'signalbox-test-'))
const total: Outcome = { passed: 0, failed: 0, skipped: 0 }
try {
  for (const suite of wanted.length > 0 ? wanted : Object.keys(minutes)) {
    const { passed, failed, skipped } = await run(suite, join(reports, `${suite}.json`))
    total.passed += passed
    total.failed += failed
    total.skipped += skipped
  }
} finally {
  await rm(reports, { recursive: true, force: true })
}

if (missing.length > 0) {
  process.stdout.write(`\nNOT TESTED HERE, because these are not installed:\n`)
  for (const { name, purpose } of missing) process.stdout.write(`  ${name.padEnd(12)} ${purpose}\n`)
  process.stdout.write(`On Debian: apt-get install ${missing.map((tool) => tool.debian).join(' ')}\n`)
}
if (process.env['CI'] === 'true' && (missing.length > 0 || total.skipped > 0)) {
  process.stdout.write(`\nIn CI a skipped test is a failed one (${total.skipped} skipped).\n`)
  total.failed += Math.max(1, total.skipped)
}
const skips = total.skipped > 0 ? `, ${total.skipped} skipped` : ''
process.stdout.write(`\n${total.passed} passed, ${total.failed} failed${skips}\n`)
process.exitCode = total.failed > 0 ? 1 : 0

async function run(suite: string, report: string): Promise<Outcome> {
  process.stdout.write(`\n── ${suite} ──\n`)
  const child = spawn(
    process.execPath,
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--project',
      suite,
      '--passWithNoTests',
      '--reporter=default',
      '--reporter=json',
      `--outputFile=${report}`,
    ],
    { cwd: root, stdio: 'inherit', detached: true },
  )
  const stop = (signal: NodeJS.Signals) => process.kill(-child.pid!, signal)
  const interrupted = () => stop('SIGINT')
  process.on('SIGINT', interrupted)
  let late = false
  const budget = setTimeout(() => {
    late = true
    process.stdout.write(
      `\nThe suite ${suite} took more than its ${minutes[suite]} minutes and was stopped.\n`,
    )
    stop('SIGKILL')
  }, minutes[suite]! * 60_000)
  const started = performance.now()
  const code = await new Promise<number | null>((resolve) => child.on('exit', resolve))
  clearTimeout(budget)
  process.off('SIGINT', interrupted)
  process.stdout.write(
    `${suite}: ${((performance.now() - started) / 1000).toFixed(0)} s of ${minutes[suite]} min\n`,
  )
  const counted = await read(report)
  // A runner that failed without a failing test (an unhandled error, a crash, a time-out) is a failure all the same.
  if (counted.failed === 0 && (late || code !== 0)) counted.failed = 1
  return counted
}

async function read(report: string): Promise<Outcome> {
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(
      await readFile(report, 'utf8'),
    )
    return { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests + numTodoTests }
  } catch {
    return { passed: 0, failed: 1, skipped: 0 }
  }
}
