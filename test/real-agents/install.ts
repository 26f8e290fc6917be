import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, readFile, rename, rm } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'

const folder = join(import.meta.dirname, 'packages') // a package.json beside our own files would make them another package's
/** Git does not see it, and a fresh `npm install` leaves it alone. */
export const cache = join(import.meta.dirname, '../../node_modules/.cache/real-agents')
const lists = ['package.json', 'package-lock.json']

/**
 * Installs the agents that package.json names, once for as long as it stays the same. Answers with the folder of their
 * programs. Rejects, with npm's own words, when they cannot be had: this suite is never skipped.
 */
export async function installAgents(): Promise<string> {
  const hash = createHash('sha256')
  for (const list of lists) hash.update(await readFile(join(folder, list)))
  const place = join(cache, hash.digest('hex').slice(0, 16))
  const programs = join(place, 'node_modules/.bin')
  if (existsSync(place)) return programs
  const unfinished = `${place}.${process.pid}`
  await mkdir(unfinished, { recursive: true })
  try {
    for (const list of lists) await copyFile(join(folder, list), join(unfinished, list))
    process.stdout.write('Installing the real agents …\n')
    await npmInstall(unfinished)
    await rename(unfinished, place)
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
  return programs
}

/** The programs of the agents are found with this, and so is the Node that their versions need. */
export const pathWith = (programs: string): string =>
  [programs, dirname(process.execPath), process.env['PATH']].join(delimiter)

/** With our own Node first: under an older one npm would silently take older agents. */
async function npmInstall(cwd: string): Promise<void> {
  // npm and the scripts of the packages leave things among the temporary files.
  const TMPDIR = `${cwd}.tmp`
  await mkdir(TMPDIR, { recursive: true })
  try {
    await runNpm(cwd, TMPDIR)
  } finally {
    await rm(TMPDIR, { recursive: true, force: true })
  }
}

async function runNpm(cwd: string, TMPDIR: string): Promise<void> {
  const child = spawn('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd,
    env: { ...process.env, TMPDIR, PATH: pathWith(dirname(process.execPath)) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text))
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve))
  if (code !== 0)
    throw new Error(`The real agents cannot be installed (is the registry reachable?):\n${complaint}`)
}
