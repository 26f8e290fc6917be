import { useQuery } from '@tanstack/react-query'
import type { Agent } from '../../../src/contract/agent.ts'
import { discoveryStrings } from '../../strings/discovery.ts'
import { roomApi } from '../../room-api.ts'
import { strings } from '../../strings/page.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { RunForm } from './run-form.tsx'

const words = discoveryStrings.run

/** Runs a program with what is filled into a form. */
export function RunWindow({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const { data, error } = useQuery({
    queryKey: ['capabilities', agent.id],
    queryFn: ({ signal }) => roomApi.capabilities(agent.id, signal),
    staleTime: 10_000,
  })
  const commands = data?.filter(({ interactionMode }) => interactionMode === 'template')
  return (
    <Dialog title={words.heading(agent.name)} onClose={onClose} className="w-170">
      {!data && !error && <output className="px-4 pb-4 text-mute">{strings.loading}</output>}
      {!data && error && <p className="px-4 pb-4 wrap-anywhere text-stop">{error.message}</p>}
      {commands?.length === 0 && <p className="px-4 pb-4 text-soft">{words.noCommands}</p>}
      {commands && commands.length > 0 && <RunForm agent={agent} commands={commands} onClose={onClose} />}
    </Dialog>
  )
}
