import { Link } from '@tanstack/react-router'
import type { TerminalWindow } from '../../../src/contract/terminal.ts'
import { terminalStrings as words } from '../../strings/terminal.ts'

const look =
  'rounded-small px-2 py-0.5 text-small text-soft hover:text-text data-current:bg-raise data-current:text-text max-sm:py-1.5'

/** The windows of a session: its agent's, and a shell beside it. */
export function WindowTabs({ sessionId, window }: { sessionId: string; window: TerminalWindow }) {
  return (
    <nav aria-label={words.windows} className="flex rounded-control border border-line p-0.5">
      {(['agent', 'shell'] as const).map((each) => (
        <Link
          key={each}
          to="/sessions/$id"
          params={{ id: sessionId }}
          search={{ view: 'terminal', ...(each === 'shell' && { window: 'shell' }) }}
          replace
          data-current={each === window || undefined}
          activeOptions={{ exact: true, includeSearch: true }}
          className={look}
        >
          {words.window[each]}
        </Link>
      ))}
    </nav>
  )
}
