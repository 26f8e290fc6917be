import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Chat } from '#chat/port.ts'
import type { Config } from '#config/config.ts'
import type { DatabasePool } from '#db/pool.ts'
import { openCapabilities } from '#worker/discovery/capabilities.ts'
import { openMachineDiscovery } from '#worker/discovery/machine-discovery.ts'
import type { MachineDiscovery } from '#worker/discovery/machine-discovery.ts'
import { openDiscoveryApart } from './discovery-apart.ts'

interface Needs {
  pool: DatabasePool
  machineId: string
  machineName: string
  config: () => Config
  runtimeFolder: string
  log: Logger
  chat: () => Promise<Chat>
}

/** Everything else comes first after a start. */
const firstScanMs = 6_000

/** The programs of this machine. */
export function openDiscoveryHere(needs: Needs): MachineDiscovery {
  const parts = { env: process.env, hidden: [needs.config().home, needs.runtimeFolder] }
  const discovery = openDiscoveryApart(parts)
  const behind = openDiscoveryApart({ ...parts, isBehind: true })
  const closed = new AbortController()

  const here = openMachineDiscovery({
    ...needs,
    env: process.env,
    discovery,
    behind,
    capabilities: openCapabilities(
      async () => (await import('#discovery/capabilities.ts')).capabilitiesOf,
      needs.log,
    ),
  })
  void begin()

  return {
    ...here,
    async close() {
      closed.abort()
      await here.close()
      await Promise.all([discovery.close(), behind.close()])
    },
  }

  async function begin(): Promise<void> {
    try {
      await wait(firstScanMs, undefined, { signal: closed.signal, ref: false })
      await here.scan()
    } catch (error) {
      if (!closed.signal.aborted) needs.log.warn({ err: error }, 'the programs here could not be looked for')
    }
  }
}
