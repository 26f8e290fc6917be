import type { DiscoveryQuery, ProgramClass } from '../../../src/contract/discovery.ts'

export const views = ['all', 'found', 'confirmed', 'hidden', 'gone'] as const
export type View = (typeof views)[number]

export const classes = [
  'tool',
  'agent',
  'tui',
  'daemon',
  'builtin',
] as const satisfies readonly ProgramClass[]

export interface FoundFilter {
  sought: string
  class: ProgramClass | 'any'
  view: View
}

export const noFilter: FoundFilter = { sought: '', class: 'any', view: 'all' }

/** What is asked for by it. What is gone is in a view of its own, whatever became of it before. */
export const queryOf = ({ sought, class: kind, view }: FoundFilter): Partial<DiscoveryQuery> => ({
  ...(sought.trim() && { q: sought.trim().slice(0, 200) }),
  ...(kind !== 'any' && { class: kind }),
  ...(view !== 'all' && view !== 'gone' && { state: view }),
  gone: view === 'gone' ? 'true' : 'false',
})
