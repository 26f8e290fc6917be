import { spawn, spawnSync } from 'node:child_process'
import { chmod, mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { endLeftovers, untilAlone } from './leftovers.ts'
import { suites } from './suites.ts'

const root = join(import.meta.dirname, '..')

export interface Outcome {
  passed: number
  failed: number
  skipped: number
}

/** Runs one suite of vitest.config.ts. Whatever it started is gone when this resolves, also when it was stopped. */
export async function runSuite(name: string, stopped: AbortSignal): Promise<Outcome> {
  const minutes = minutesOf(name)
  const folder = await mkdtemp(join(tmpdir(), `signalbox-${name}-`))
  await chmod(folder, 0o1777) // as /tmp is: tests run programs as other users
  const late = new AbortController()
  const budget = setTimeout(() => late.abort(), minutes * 60_000)
  const end = AbortSignal.any([stopped, late.signal])
  const started = performance.now()
  try {
    const report = join(folder, 'report.json')
    const code = await runVitest(name, { report, folder, end })
    const outcome = await read(report)
    const seconds = ((performance.now() - started) / 1000).toFixed(0)
    process.stdout.write(`${name}: ${seconds} s of ${minutes} min\n`)
    if (late.signal.aborted)
      process.stdout.write(`It took more than its ${minutes} minutes and was stopped.\n`)
    if (!end.aborted) outcome.failed += (await nameProcesses(folder)) + (await nameFiles(folder, report))
    // A runner that failed without a failing test (a crash, an unhandled error) is a failure, and so is an empty suite.
    const isEmpty = outcome.passed + outcome.failed + outcome.skipped === 0
    if (outcome.failed === 0 && (code !== 0 || isEmpty || end.aborted)) outcome.failed = 1
    return outcome
  } finally {
    clearTimeout(budget)
    await endLeftovers(folder)
    await unmountBelow(folder)
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Who asks for more rounds than CI has time for gets the time. */
function minutesOf(name: string): number {
  const { minutes = 0, rounds } = suites[name] ?? {}
  const asked = Number(process.env['ROUNDS'] ?? 0)
  return rounds && asked > rounds ? Math.ceil((minutes * asked) / rounds) : minutes
}

/** A test that was stopped in the middle may have left a small disk of its own behind. */
async function unmountBelow(folder: string): Promise<void> {
  const mounts = await readFile('/proc/mounts', 'utf8').catch(() => '')
  for (const path of mounts.split('\n').map((line) => line.split(' ')[1] ?? ''))
    if (path.startsWith(`${folder}/`)) spawnSync('umount', ['-l', path])
}

interface Surroundings {
  report: string
  folder: string
  end: AbortSignal
}

/** In a process group of its own, so that a Ctrl-C of the terminal reaches it only through us. */
async function runVitest(name: string, { report, folder, end }: Surroundings): Promise<number | null> {
  if (end.aborted) return null
  const child = spawn(
    process.execPath,
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      `--project=${name}`,
      '--reporter=default',
      '--reporter=json',
      `--outputFile=${report}`,
    ],
    { cwd: root, stdio: 'inherit', detached: true, env: { ...process.env, TMPDIR: folder } },
  )
  let patience: NodeJS.Timeout | undefined
  const stop = () => {
    child.kill('SIGINT')
    patience = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), 5_000)
  }
  end.addEventListener('abort', stop, { once: true })
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve))
  end.removeEventListener('abort', stop)
  clearTimeout(patience)
  return code
}

/** Leaks fail the suite. Answers with how many there are. */
async function nameProcesses(folder: string): Promise<number> {
  const left = await untilAlone(folder, 3_000)
  if (left.length > 0) process.stdout.write('\nSTILL RUNNING after the suite, and ended now:\n')
  for (const { pid, command } of left) process.stdout.write(`  ${pid} ${command.slice(0, 160)}\n`)
  return left.length
}

async function nameFiles(folder: string, report: string): Promise<number> {
  const left = (await readdir(folder)).filter((name) => name !== basename(report))
  if (left.length > 0) process.stdout.write('\nLEFT BEHIND among the temporary files, and removed now:\n')
  for (const name of left) process.stdout.write(`  ${name}\n`)
  return left.length
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
