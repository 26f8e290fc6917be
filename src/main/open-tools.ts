import { homedir } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { SourceConfig } from '#contract/source.ts'
import { hasCodeRunEnded, openWishesOf } from '#db/code-runs.ts'
import { findWebUrl } from '#db/webs.ts'
import { openPinBook } from '#db/pin-book.ts'
import { keepSourceHome } from '#db/source-homes.ts'
import { openSeal } from '#lib/sealed.ts'
import { openCodeNames } from '#mcp/code-names.ts'
import { openMcpEndpoint } from '#mcp/endpoint.ts'
import { mergedView } from '#mcp/merged-view.ts'
import { endStraySources } from '#tools/mcp/strays.ts'
import { openNativeSource } from '#tools/native-source.ts'
import { openRegistry } from '#tools/registry.ts'
import type { NativeTools, RegistryHands, SourceSettings } from '#tools/port.ts'
import { codeTools } from '#worker/code/run-code-tool.ts'
import { openToolApprovals } from '#worker/tools/approve.ts'
import { openAuthorizing } from '#worker/tools/authorize.ts'
import { boardTools } from '#worker/tools/board-tools.ts'
import { openCallers } from '#worker/tools/caller.ts'
import { openConfigFile } from '#worker/tools/config-file.ts'
import { openGrantStore } from '#worker/tools/grant-store.ts'
import { importSources } from '#worker/tools/import-sources.ts'
import { openNote } from '#worker/tools/note.ts'
import { openRemoteSources } from '#worker/tools/remote-sources.ts'
import { restElsewhere } from '#worker/tools/rest-elsewhere.ts'
import { openSources, settingsOf } from '#worker/tools/sources.ts'
import { longestWorkspaceCallMs, workspaceTools } from '#worker/tools/workspace-tools.ts'
import { followYaml, takeFile, takeYaml } from '#worker/tools/written-sources.ts'
import type { OAuth } from '#tools/mcp/oauth.ts'
import { askElsewhere } from './ask-elsewhere.ts'
import { openSourceOf } from './open-source.ts'
import type { OpenedTools, ToolsNeeds } from './tools-here.ts'

/** Ours are always granted, and held to little: what they may do is decided where they do it. */
const nativeSettings: SourceSettings = {
  ...settingsOf(SourceConfig.parse({ transport: 'stdio', command: '-' })),
  timeout: longestWorkspaceCallMs,
  rateLimit: 1_000_000,
  maxConcurrent: 100,
  isNative: true,
}

function nativeTools({ pool, handOver, config, toolCalls, machineId, code }: ToolsNeeds): NativeTools[] {
  const rules = () => ({ approvalExpiresMs: config().worker.approvalExpiresMs, budgets: config().budgets })
  const policies = () => config().policies
  return [
    boardTools({ pool, handOver, rules }),
    workspaceTools({ db: pool.db, machineId, toolCalls, policies }),
    codeTools({
      code,
      openWishes: (executionId) => openWishesOf(pool.db, executionId),
      hasEnded: (requestId) => hasCodeRunEnded(pool.db, requestId),
    }),
  ]
}

/** How long other machines are waited for before ours begin; they come later then. */
const elsewhereMs = 1_000

/** Puts the tools of this machine together, and begins its sources without waiting for any of them. */
export async function openTools(needs: ToolsNeeds): Promise<OpenedTools> {
  const { pool, machineId, config, log, version } = needs
  const { db } = pool
  const { home } = config()
  const env = process.env
  const seal = openSeal(home)
  const approvals = openToolApprovals(needs)
  const note = openNote(db)
  const hands: RegistryHands = {
    pins: openPinBook(db),
    approve: (question, signal) => approvals.approve(question, signal),
    readElsewhere: restElsewhere(db, askElsewhere(db)),
    // What another machine does is written down there.
    note: (entry) => (elsewhere.has(entry.source) ? Promise.resolve() : note(entry)),
  }
  const registry = openRegistry(hands, { machineId, metricLabels: { machine: machineId }, log })
  for (const native of nativeTools(needs)) registry.put(openNativeSource(native), nativeSettings)
  const elsewhere = openRemoteSources({ ...needs, registry, ask: askElsewhere(db) })
  const callerOf = openCallers(db)
  const endpoint = openMcpEndpoint({
    registry,
    callerOf: (by) => callerOf(by),
    codeNames: async (caller) => (await needs.code()).apiFor(caller),
    askInstead: (caller, asked, signal) => approvals.askInstead(caller, asked, signal),
    log,
    version,
  })
  const namesOf = openCodeNames(registry, async (caller) => (await needs.code()).apiFor(caller), log)
  const view = mergedView(registry, { listing: 'auto', isBoardOnly: false, namesOf })
  const file = openConfigFile(home, log)
  const ourAddresses = async () =>
    [config().publicUrl, await findWebUrl(db, machineId)].filter((one) => one !== undefined)
  let opened: Promise<OAuth> | undefined
  const oauth = () =>
    (opened ??= import('#tools/mcp/oauth.ts').then(({ openOAuth }) =>
      openOAuth({ store: openGrantStore(db, seal), log }),
    ))
  const sources = openSources({
    pool,
    machineId,
    registry,
    seal,
    log,
    check: () => ({ config: config(), env, ourAddresses }),
    openSource: openSourceOf({ home, log, version, oauth, keepHome: (kept) => keepSourceHome(db, kept) }),
    writeFile: (rows) => file.write(rows),
  })
  const written = { pool, machineId, seal, sources, file, log }

  await endStraySources(home)
  await Promise.race([elsewhere.refresh(), wait(elsewhereMs, undefined, { ref: false })])
  await sources.begin()
  await takeYaml(written, config().mcp)
  await takeFile(written)
  file.write(sources.rows())

  return {
    registry,
    sources,
    callerOf,
    view,
    listed: (caller, listing) =>
      mergedView(registry, { listing, isBoardOnly: false, namesOf }).listTools(caller),
    askInstead: (caller, asked, signal) => approvals.askInstead(caller, asked, signal),
    isWaitedFor: (id) => approvals.isWaitedFor(id),
    authorizing: async () => openAuthorizing({ db, seal, env: () => env, logins: await oauth() }),
    importSources: (by, wanted) =>
      importSources({ db, sources, config, env, userHome: env['HOME'] || homedir() }, by, wanted),
    mcp: (request, by) => endpoint.fetch(request, by),
    reread: followYaml(written, () => needs.readConfig().mcp),
    async close() {
      sources.close()
      approvals.close()
      elsewhere.close()
      await Promise.allSettled([endpoint.close(), registry.close()])
    },
  }
}
