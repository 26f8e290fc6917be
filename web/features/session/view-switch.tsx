import { Link } from '@tanstack/react-router'
import { roomStrings } from '../../room-strings.ts'

interface Props {
  sessionId: string
  executionId: string | undefined
  view: 'transcript' | 'log'
}

const look =
  'rounded-small px-2 py-0.5 text-small text-soft hover:text-text data-current:bg-raise data-current:text-text max-sm:py-1.5 max-sm:data-current:hidden'

/** The conversation, or what the agent's program really wrote. */
export function ViewSwitch({ sessionId, executionId, view }: Props) {
  const words = roomStrings.transcript
  return (
    <nav aria-label={words.view} className="flex rounded-control border border-line p-0.5">
      {(['transcript', 'log'] as const).map((each) => (
        <Link
          key={each}
          to="/sessions/$id"
          params={{ id: sessionId }}
          search={each === 'log' ? { execution: executionId, view: 'log' } : {}}
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
