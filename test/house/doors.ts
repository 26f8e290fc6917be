import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'

const ground = ['contract', 'lib']
const below = [...ground, 'domain', 'config']
const data = [...below, 'db']
/** What of lib decides nothing and touches nothing, so that a decision may use it. */
const pure = ['tree.ts', 'glob.ts', 'command-pattern.ts', 'in-time.ts', 'target.ts']
const ports = ['workspaces', 'tools', 'codemode', 'chat', 'discovery']

/** Which rooms a room may import. HOUSE: arrows point at what is imported; main wires, so it may import them all. */
const doors: Record<string, readonly string[]> = {
  contract: [],
  lib: [],
  domain: ground,
  config: ground,
  db: below,
  events: data,
  flows: [...data, 'events'],
  http: [...data, 'events', 'flows'],
  mcp: [...ground, 'tools'],
  terminal: [...data, 'events', 'flows'],
  worker: [...data, 'events', 'flows', ...ports],
  keeper: [...ground, 'agents', 'boundaries', 'host'],
  host: ground,
  demo: ground,
  bridge: [...below, 'agents', 'boundaries', 'host', 'keeper'],
  ...Object.fromEntries([...ports, 'agents', 'boundaries'].map((peer) => [peer, ground])),
  cli: ground,
  web: ['contract'],
}

const bare: Record<string, readonly string[]> = { contract: ['zod'], host: [] }
const specifier = /(?:\bfrom\s*|(?<!['"])\bimport\s*\(?\s*)['"]([^'"]+)['"]/g

/** Names every file that breaks a door, and which. */
export function brokenDoors(root: string): string[] {
  return ['src', 'web']
    .flatMap((top) => filesUnder(join(root, top)))
    .flatMap((file) => complaints(root, file).map((complaint) => `${relative(root, file)}: ${complaint}`))
}

function complaints(root: string, file: string): string[] {
  const room = roomOf(root, file)
  if (room === 'main') return []
  if (/^index\.tsx?$/.test(basename(file))) return [`${basename(file)} is a barrel`]
  if (!(room in doors)) return [`${room} is not a room of the house`]
  if (/\.test\.tsx?$/.test(file)) return []
  return [...readFileSync(file, 'utf8').matchAll(specifier)].flatMap(([, name = '']) => {
    const path = name.startsWith('#')
      ? join(root, 'src', name.slice(1))
      : name.startsWith('.') && resolve(file, '..', name)
    if (!path) {
      const forbidden = bare[room] && !name.startsWith('node:') && !bare[room].includes(name)
      return forbidden ? [`${room} may not import the package ${name}`] : []
    }
    const target = roomOf(root, path)
    if (target === room) return []
    if (!doors[room]?.includes(target)) return [`${room} may not import ${target}`]
    if (['worker', 'mcp'].includes(room) && ports.includes(target) && basename(path) !== 'port.ts')
      return [`${room} may import only port.ts of ${target}`]
    if (room === 'domain' && target === 'lib' && !pure.includes(basename(path)))
      return [`domain may import only ${pure.join(', ')} of lib`]
    return []
  })
}

function roomOf(root: string, path: string): string {
  const [top = '', room = ''] = relative(root, path).split('/')
  return top === 'src' ? room : top
}

function filesUnder(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
}
