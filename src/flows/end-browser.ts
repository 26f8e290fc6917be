import type { Principal } from '#contract/access.ts'
import { noteAudit } from '#db/audit.ts'
import { deleteBrowser } from '#db/browsers.ts'
import type { Tx } from '#db/pool.ts'
import { tellRevoked } from '#db/tokens.ts'
import { checkPerson } from '#domain/access.ts'
import { Problem } from '#domain/problem.ts'

/** Logs a browser out; the owner everybody's, others their own. Any other does not exist for them. */
export async function endBrowser(tx: Tx, by: Principal, id: string): Promise<void> {
  checkPerson(by)
  const whose = await deleteBrowser(tx, id, by.kind === 'owner' ? undefined : by.id)
  if (whose === undefined) throw new Problem('browser_not_found', `No browser ${id} is logged in`)
  await tellRevoked(tx, whose)
  const detail = { user: whose }
  await noteAudit(tx, { kind: 'user', actor: by.id, subject: 'browser logged out', outcome: 'ok', detail })
}
