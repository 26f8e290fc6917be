// Runs before `npm start` and `npm test`, on whatever Node the machine has (20 or newer), with nothing installed yet.
// Installs when node_modules is missing or older than the lock file, then builds the UI and the keeper when their sources
// changed.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const pinnedNode = join(root, 'node_modules/.bin/node')
const [oldestMajor, oldestMinor] = [24, 12]

const installStamp = join(root, 'node_modules/.signalbox-installed')
const lockHash = hashOf([join(root, 'package.json'), join(root, 'package-lock.json')])
if (read(installStamp) !== lockHash) {
  step('Installing packages', 'npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'])
  writeFileSync(installStamp, lockHash)
}

const node = existsSync(pinnedNode) ? pinnedNode : process.execPath
const [major = 0, minor = 0] = spawnSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' })
  .stdout.trim()
  .split('.')
  .map(Number)
if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
  fail(
    `Signalbox needs Node ${oldestMajor}.${oldestMinor} or newer and found ${major}.${minor}. On Linux (x64, arm64) ` +
      'it installs its own; here, please install a newer Node and try again.',
  )
}

// Beside the page and not in it: whatever is in there is served.
const uiStamp = join(root, 'dist/web.built-from')
const uiHash = hashOf([
  ...filesUnder(join(root, 'web')),
  ...filesUnder(join(root, 'src/contract')),
  join(root, 'package-lock.json'),
])
if (read(uiStamp) !== uiHash || !existsSync(join(root, 'dist/web/index.html'))) {
  rmSync(uiStamp, { force: true })
  rmSync(join(root, 'dist/web'), { recursive: true, force: true })
  step('Building the UI', node, [
    join(root, 'node_modules/vite/bin/vite.js'),
    'build',
    'web',
    '--logLevel',
    'warn',
  ])
  writeFileSync(uiStamp, uiHash)
}

if (!isKeeperFresh()) step('Building the keeper', node, [join(root, 'scripts/bundle-keeper.ts')])

function isKeeperFresh() {
  const noted = read(join(root, 'dist/keeper/inputs.json'))
  if (noted === undefined) return false
  const { files, inputs } = JSON.parse(noted)
  const built = Object.entries(files ?? {}).map(([name, hash]) => [`dist/keeper/${name}`, hash])
  return [...built, ...Object.entries(inputs)].every(
    ([file, hash]) =>
      existsSync(join(root, file)) &&
      createHash('sha256')
        .update(readFileSync(join(root, file)))
        .digest('hex') === hash,
  )
}

function step(title, command, args) {
  process.stderr.write(`${title} …\n`)
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] })
  if (status !== 0) fail(`${title} failed${error ? `: ${error.message}` : ''}. The lines above say why.`)
}

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

function read(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

function filesUnder(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .toSorted()
}

function hashOf(files) {
  const hash = createHash('sha256')
  for (const file of files) hash.update(file.slice(root.length)).update(readFileSync(file))
  return hash.digest('hex')
}
