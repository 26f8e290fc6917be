import type { Hands } from './port.ts'

// Servers of tools get their keys in their environment, in headers, in arguments or in their address, and agents are told of all
// that over the wire. The notes of what went over it show that there was something, and not what.

const hidden = '«hidden»'
/** What a server is told by that is no secret; whatever else is text may be one. */
const open = new Set(['name', 'type', 'transport', 'command', 'cwd', 'status'])
const lists = /"mcp_?servers"/i

/** Notes frames without the secrets of the servers of tools, in whichever form an agent wants them. */
export const withoutSecrets =
  (frame: Hands['frame']): Hands['frame'] =>
  (direction, line) =>
    frame(direction, lists.test(line) ? hideSecrets(line) : line)

function hideSecrets(line: string): string {
  try {
    return JSON.stringify(JSON.parse(line), (key, value: unknown) =>
      lists.test(`"${key}"`) ? hideEach(value) : value,
    )
  } catch {
    // What is no message cannot be looked into.
    return hidden
  }
}

/** Some have a list of them, some an object by their names. */
function hideEach(servers: unknown): unknown {
  if (Array.isArray(servers)) return servers.map(hideIn)
  return isRecord(servers) ? mapValues(servers, hideIn) : servers
}

const hideIn = (server: unknown): unknown =>
  isRecord(server) ? mapValues(server, (value, key) => (open.has(key) ? value : hideAll(value))) : server

function hideAll(value: unknown): unknown {
  if (typeof value === 'string') return hidden
  if (Array.isArray(value)) return value.map(hideAll)
  if (!isRecord(value)) return value
  // As in [{"name": "KEY", "value": "…"}].
  return mapValues(value, (one, key) => (key === 'name' && 'value' in value ? one : hideAll(one)))
}

const mapValues = (
  record: Record<string, unknown>,
  map: (value: unknown, key: string) => unknown,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]))

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
