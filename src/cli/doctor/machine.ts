import { existsSync } from 'node:fs'
import { mkdtemp, rmdir, statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { HomeRefused, prepareHome } from '#lib/home.ts'
import { formatSize } from '#lib/units.ts'
import type { Finding, Probe } from './probe.ts'

const oldestNode = [24, 12] as const

export interface Machine {
  home: string
  host: string
  port: number
  terminalPort: number
  minFreeDiskBytes: number
  /** The address of the Signalbox that runs in this home, if one does. */
  running: string | undefined
}

export const machineProbes = (machine: Machine): Probe[] => [
  {
    name: 'Node',
    purpose: 'runs everything',
    required: true,
    look: async () => lookAtNode(process.versions.node),
  },
  { name: 'Home', purpose: 'keeps everything', required: true, look: () => lookAtHome(machine.home) },
  { name: 'Disk', purpose: 'room to work', required: false, look: () => lookAtDisk(machine) },
  { name: 'Port', purpose: 'UI and API', required: true, look: () => lookAtPort(machine) },
  {
    name: 'Terminal port',
    purpose: 'sockets of terminals',
    required: true,
    look: () => lookAtTerminalPort(machine),
  },
]

export function lookAtNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const fits = major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])
  if (fits) return { verdict: 'ok', found: version }
  return {
    verdict: 'missing',
    found: version,
    advice: `Node ${oldestNode.join('.')} or newer; npm install brings its own`,
  }
}

/** Writes there for real: what the permissions say is not all that can refuse. */
async function lookAtHome(home: string): Promise<Finding> {
  const folder = nearestExisting(home)
  const advice = 'set SIGNALBOX_HOME to a folder of yours'
  try {
    if (folder === home) prepareHome(home)
    await rmdir(await mkdtemp(join(folder, '.signalbox-doctor-')))
    return { verdict: 'ok', found: folder === home ? home : `${home} (will be made)` }
  } catch (error) {
    if (error instanceof HomeRefused) return { verdict: 'missing', found: error.message }
    return { verdict: 'missing', found: `${folder} cannot be written`, advice }
  }
}

async function lookAtDisk({ home, minFreeDiskBytes }: Machine): Promise<Finding> {
  const { bavail, bsize } = await statfs(nearestExisting(home))
  const found = `${((bavail * bsize) / 1024 ** 3).toFixed(1)} GB free`
  if (bavail * bsize >= minFreeDiskBytes) return { verdict: 'ok', found }
  const advice = `agents start only with ${formatSize(minFreeDiskBytes)} free: make room, or set MIN_FREE_DISK`
  return { verdict: 'attention', found, advice }
}

async function lookAtPort({ host, port, running }: Machine): Promise<Finding> {
  if (running && (port === 0 || URL.parse(running)?.port === String(port)))
    return { verdict: 'ok', found: `Signalbox runs at ${running}` }
  return tryPort(host, port, 'PORT')
}

/** While Signalbox runs it is its own that answers there. */
async function lookAtTerminalPort({ host, terminalPort, running }: Machine): Promise<Finding> {
  if (!running || terminalPort === 0) return tryPort(host, terminalPort, 'TERMINAL_PORT')
  const name = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? host
  const answer = await fetch(`http://${name}:${terminalPort}/health`, {
    signal: AbortSignal.timeout(3_000),
  }).catch(() => undefined)
  if (answer?.ok) return { verdict: 'ok', found: `terminals are served at ${terminalPort}` }
  const advice = 'look into the log of the terminal; set TERMINAL_PORT if another program sits there'
  return { verdict: 'attention', found: `nothing of ours answers at ${terminalPort}`, advice }
}

async function tryPort(host: string, port: number, variable: string): Promise<Finding> {
  const refused = await new Promise<string | undefined>((resolve) => {
    const server = createServer()
    server.once('error', (error) => resolve('code' in error ? String(error.code) : error.message))
    server.listen({ host, port }, () => server.close(() => resolve(undefined)))
  })
  if (!refused) return { verdict: 'ok', found: port === 0 ? 'any' : `${port} is free` }
  if (refused === 'EADDRINUSE')
    return {
      verdict: 'missing',
      found: `${port} is in use by another program`,
      advice: `set ${variable} to another one`,
    }
  return {
    verdict: 'missing',
    found: `${host}:${port} is refused (${refused})`,
    advice: `set HOST and ${variable}`,
  }
}

function nearestExisting(path: string): string {
  return existsSync(path) || path === dirname(path) ? path : nearestExisting(dirname(path))
}
