import { Link } from '@tanstack/react-router'
import { transcriptStrings } from '../../strings/transcript.ts'

export type View = 'transcript' | 'log' | 'terminal'

interface Props {
  sessionId: string
  executionId: string | undefined
  view: View
  /** Those that there are. */
  all: readonly View[]
}

const look =
  'rounded-small px-2 py-0.5 text-small text-soft hover:text-text data-current:bg-raise data-current:text-text max-sm:py-1.5 max-sm:data-current:hidden'

/** The conversation, what the agent's program really wrote, or its terminal. */
export function ViewSwitch({ sessionId, executionId, view, all }: Props) {
  if (all.length < 2) return null
  const words = transcriptStrings
  return (
    <nav aria-label={words.view} className="flex rounded-control border border-line p-0.5">
      {all.map((each) => (
        <Link
          key={each}
          to="/sessions/$id"
          params={{ id: sessionId }}
          search={searchFor(each, executionId)}
          replace
          data-current={each === view || undefined}
          activeOptions={{ exact: true, includeSearch: true }}
          className={look}
        >
          {words.views[each]}
        </Link>
      ))}
    </nav>
  )
}

const searchFor = (view: View, execution: string | undefined) =>
  view === 'log' ? { execution, view } : view === 'terminal' ? { view } : {}
