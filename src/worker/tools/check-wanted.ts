import type { AddSource, SourceConfig } from '#contract/source.ts'
import { newId } from '#lib/id.ts'
import { someAtATime } from '#lib/some-at-a-time.ts'
import { badSource } from './bad-source.ts'
import { checkPlaces } from './check-source.ts'
import type { CheckNeeds } from './check-source.ts'
import { NotFilledIn, fillIn } from './fill-in.ts'
import type { OpenNeeds } from './open-row.ts'
import { shownAgain } from './source-secrets.ts'

const checksAtOnce = 16

export type Wanted = Pick<AddSource, 'name' | 'config'>

/** Throws the Problem that speaks against it on this machine. */
export async function checkWanted(
  { name, config }: Wanted,
  openSource: OpenNeeds['openSource'],
  check: CheckNeeds,
): Promise<void> {
  const again = shownAgain(config)
  if (again) throw badSource(again, 'is only the sign that a secret is there: give the secret itself')
  let filled
  try {
    filled = fillIn(config, check.env)
  } catch (error) {
    if (error instanceof NotFilledIn) return // its health says so, until the variable is set
    throw error
  }
  const real = await checkPlaces(filled, check)
  if (real.transport === 'openapi' && real.document !== undefined) await tryDocument(name, real, openSource)
}

async function tryDocument(
  name: string,
  config: SourceConfig,
  openSource: OpenNeeds['openSource'],
): Promise<void> {
  try {
    await (await openSource({ id: newId(), name, config })).close()
  } catch (error) {
    throw badSource('document', error instanceof Error ? error.message : String(error))
  }
}

/** Those that nothing speaks against, by name; the others are told by `refuse`. */
export async function fittingOf(
  some: readonly Wanted[],
  check: (wanted: Wanted) => Promise<void>,
  refuse: (name: string, why: unknown) => void,
): Promise<Map<string, SourceConfig>> {
  const refusals = await someAtATime(some, checksAtOnce, (wanted) =>
    check(wanted).then(
      () => undefined,
      (why: unknown) => ({ why }),
    ),
  )
  const fitting = new Map<string, SourceConfig>()
  for (const [at, { name, config }] of some.entries()) {
    const refusal = refusals[at]
    if (refusal) refuse(name, refusal.why)
    else fitting.set(name, config)
  }
  return fitting
}
