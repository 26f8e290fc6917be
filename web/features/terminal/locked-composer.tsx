import { Link } from '@tanstack/react-router'
import type { Session } from '../../../src/contract/session.ts'
import { terminalStrings as words } from '../../strings/terminal.ts'
import { ago } from '../../ui/time.ts'
import { HandBack } from './take-over.tsx'
import { useMayUseTerminal } from './may-use.ts'

/** In the place where one writes, while a person has the session. What was written there is kept. */
export function LockedComposer({ session: { id, takenOverAt } }: { session: Session }) {
  const mayUse = useMayUseTerminal()
  return (
    <div data-locked className="shrink-0 px-5.5 pb-4 max-sm:px-4 max-sm:pb-2">
      <div className="mx-auto flex max-w-200 flex-wrap items-center gap-3 rounded-panel border border-edge bg-panel px-3 py-2.5">
        <p className="min-w-0 grow basis-80">
          <span className="font-medium">{takenOverAt && words.taken(ago(takenOverAt))}.</span>{' '}
          <span className="text-soft">{words.locked}</span>
        </p>
        {mayUse && (
          <span className="flex items-center gap-3">
            <Link
              to="/sessions/$id"
              params={{ id }}
              search={{ view: 'terminal' }}
              className="underline decoration-edge underline-offset-2"
            >
              {words.toTerminal}
            </Link>
            <HandBack sessionId={id} />
          </span>
        )}
      </div>
    </div>
  )
}
