import type { AskCall, AskTools } from '#contract/internal.ts'
import { ToolAnswer, ToolListing } from '#contract/tool.ts'
import type { Database } from '#db/pool.ts'
import { owner } from '#domain/access.ts'
import { askMachine } from '#http/machine-answers.ts'
import type { AskElsewhere } from '#worker/tools/remote-source.ts'

const listMs = 5_000

/** Asks the workers of other machines as web does. */
export const askElsewhere = (db: Database): AskElsewhere => ({
  async tools(machine, source) {
    const asked = { by: owner, query: { source } } satisfies AskTools
    const signal = AbortSignal.timeout(listMs)
    const { namespaces } = await askMachine(db, machine, '/tools', asked, ToolListing, signal)
    return namespaces[source]?.tools ?? []
  },
  async call(machine, asked, signal) {
    const body = asked satisfies AskCall
    return (await askMachine(db, machine, '/tools/call', body, ToolAnswer, signal)).result
  },
})
