import { useState } from 'react'
import type { Session } from '../../../src/contract/session.ts'
import { roomStrings as words } from '../../strings/room.ts'
import { Button } from '../../ui/button.tsx'
import { ago } from '../../ui/time.ts'
import { maySpeak } from './may-speak.ts'
import { restore } from './session-actions.ts'

/** In the place where one writes, while the session is in the trash. What was written there is kept. */
export function TrashedBar({ session, isChat }: { session: Session; isChat: boolean }) {
  const [isWorking, setWorking] = useState(false)
  const act = async () => {
    setWorking(true)
    await restore(session.id)
    setWorking(false)
  }
  return (
    <div data-trashed className="shrink-0 px-5.5 pb-4 max-sm:px-4 max-sm:pb-2">
      <div className="mx-auto flex max-w-200 flex-wrap items-center gap-3 rounded-panel border border-edge bg-panel px-3 py-2.5">
        <p className="min-w-0 grow basis-80">{words.inTrash(ago(session.trashedAt ?? ''))}</p>
        {maySpeak(isChat) && (
          <Button look="main" disabled={isWorking} onClick={() => void act()}>
            {words.restore}
          </Button>
        )}
      </div>
    </div>
  )
}
