import type { LookupAddress } from 'node:dns'
import { CodeFailed } from '#codemode/port.ts'
import type { CodeApi, CodeHands, CodeMode } from '#codemode/port.ts'
import type { Config } from '#config/config.ts'
import type { CodeGrants } from '#domain/code-capabilities.ts'
import { authorityOf } from '#lib/target.ts'
import type { Caller, Registry } from '#tools/port.ts'
import { openMachineFiles } from './machine-files.ts'
import { openNetworkReach } from './network.ts'
import type { NetworkReach } from './network.ts'
import { ownPlaces } from './own-places.ts'
import { pause } from './pace.ts'
import { openToolReach } from './tools.ts'
import type { CallMade } from './tools.ts'
import { openWorkspaceFiles } from './workspace-files.ts'

export interface ReachNeeds {
  registry: Registry
  observe: CodeMode['observe']
  config: () => Config
  /** Looks a host up; the system's way, when it is not said. */
  resolve?: (host: string) => Promise<LookupAddress[]>
}

/** One run, and who it is for. A session of the caller is where its files are. */
export interface ReachOf {
  runId: string
  caller: Caller
  api: CodeApi
  /** The same, of what is there now: sources come and go while a run is under way. */
  apiNow: () => CodeApi
  grants: CodeGrants
}

export interface Reach {
  /**
   * As CodeHands.call: rejects with CodeFailed for what the code should see, and with AwaitsPerson when somebody has to be asked: of
   * `mcp` and of `files`. `consent` is the answer to that, when the same call is made again. When the signal comes, with its reason.
   * Nothing is sent before `beforeSend` has resolved; it may be asked more than once.
   */
  call(...given: [...Parameters<CodeHands['call']>, made?: CallMade]): Promise<unknown>
  /** The tool that is called by this name, of one that was called before. Rejects when it is not there in time. */
  toolOf(name: string, signal: AbortSignal): Promise<string | undefined>
  /** The places of the network that were asked so far, and how often, for the audit. */
  reached(): Record<string, number>
}

/** What the code of one run can reach, and how often. */
export function openReach({ registry, observe, config, resolve }: ReachNeeds, run: ReachOf): Reach {
  const { caller, grants } = run
  const asked = new Map<string, number>()
  const tools = openToolReach({ registry, observe }, run)
  const files =
    caller.sessionId === undefined
      ? openMachineFiles(grants.files, config)
      : openWorkspaceFiles(registry, run)
  let network: NetworkReach | undefined
  const openNetwork = () =>
    openNetworkReach({
      grants: grants.network,
      own: ownPlaces(config()),
      ...(resolve && { resolve }),
      onRequest(target) {
        const place = authorityOf(target)
        asked.set(place, (asked.get(place) ?? 0) + 1)
      },
    })

  return {
    async call(call, kind, name, given, signal, made) {
      const one = { call, signal, ...made }
      if (kind === 'mcp') return tools.call(name, given, one)
      if (kind === 'files') return files.call(name, given, one)
      if (kind === 'network' && name === 'fetch')
        return (network ??= openNetwork()).fetch(given, signal, made?.beforeSend)
      if (kind === 'timer' && name === 'sleep') return sleep(given[0], signal)
      throw new CodeFailed('runtime', 'RUNTIME_ERROR', `There is no ${name} to call`)
    },
    toolOf: (name, signal) => tools.toolOf(name, signal),
    reached: () => Object.fromEntries(asked),
  }
}

/** The time of the run ends it, however long it was meant to be. */
async function sleep(ms: unknown, signal: AbortSignal): Promise<null> {
  await pause(typeof ms === 'number' && ms > 0 ? ms : 0, signal)
  return null
}
