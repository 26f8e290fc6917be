import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, readFile, rename, rm } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'

const lists = ['package.json', 'package-lock.json']

interface Packages {
  /** With a package.json and its lock. */
  folder: string
  /** Where they are kept. Git does not see node_modules/.cache, and a fresh `npm install` leaves it alone. */
  cache: string
  /** What they are, for people who wait. */
  called: string
}

/**
 * Installs the packages that a package.json names, once for as long as it stays the same. Answers with where they are.
 * Rejects, with npm's own words, when they cannot be had.
 */
export async function installPackages({ folder, cache, called }: Packages): Promise<string> {
  const hash = createHash('sha256')
  for (const list of lists) hash.update(await readFile(join(folder, list)))
  const place = join(cache, hash.digest('hex').slice(0, 16))
  if (existsSync(place)) return place
  const unfinished = `${place}.${process.pid}`
  await mkdir(unfinished, { recursive: true })
  try {
    for (const list of lists) await copyFile(join(folder, list), join(unfinished, list))
    process.stderr.write(`Installing ${called} …\n`)
    await npmInstall(unfinished, called)
    await rename(unfinished, place)
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
  return place
}

/** The programs of packages are found with this, and so is the Node that their versions need. */
export const pathWith = (programs: string): string =>
  [programs, dirname(process.execPath), process.env['PATH']].join(delimiter)

async function npmInstall(cwd: string, called: string): Promise<void> {
  // npm and the scripts of the packages leave things among the temporary files.
  const TMPDIR = `${cwd}.tmp`
  await mkdir(TMPDIR, { recursive: true })
  try {
    await runNpm(cwd, TMPDIR, called)
  } finally {
    await rm(TMPDIR, { recursive: true, force: true })
  }
}

/** With our own Node first: under an older one npm would silently take older packages. */
async function runNpm(cwd: string, TMPDIR: string, called: string): Promise<void> {
  const child = spawn('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd,
    env: { ...process.env, TMPDIR, PATH: pathWith(dirname(process.execPath)) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text))
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve))
  if (code !== 0) throw new Error(`Not installed: ${called} (is the registry reachable?)\n${complaint}`)
}
