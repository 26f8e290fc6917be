// `node hold-container.ts YARD HOME SPEC`: opens a container, says so, and waits to be killed.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { dockerBoundary } from '#boundaries/docker/open.ts'
import { MARK } from '#contract/keeper-protocol.ts'
import { newId } from '#lib/id.ts'

const [folder = '', home = '', spec = ''] = process.argv.slice(2)
const socketParent = join(folder, 'held')
mkdirSync(socketParent, { mode: 0o700 })
await dockerBoundary({
  hostRuntime: join(folder, 'runtime'),
  socketParent,
  markName: MARK,
  takeDial: (_, connection) => connection.destroy(),
  labels: { home, keeper: newId() },
  log: () => undefined,
})(JSON.parse(spec))
process.stdout.write('open\n')
setInterval(() => undefined, 60_000)
