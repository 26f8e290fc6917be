import { session } from '../../session.ts'
import { FailuresPanel } from './failures-panel.tsx'
import { MachinesPanel } from './machines-panel.tsx'
import { SpendPanel } from './spend-panel.tsx'

/** What went wrong, where work is done, and what it costs. */
export default function HomeAside() {
  const scopes = session.get()?.principal.scopes ?? []
  return (
    <div className="flex flex-col gap-4">
      <FailuresPanel />
      {scopes.includes('board') && <MachinesPanel />}
      <SpendPanel />
    </div>
  )
}
