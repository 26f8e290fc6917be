import type { Session } from '../../../src/contract/session.ts'
import { queryClient } from '../../query-client.ts'
import { roomApi } from '../../room-api.ts'
import { roomStrings as words } from '../../strings/room.ts'
import { announce } from '../../ui/announce.tsx'
import { toast } from '../../ui/toast.tsx'
import { sessionsKey } from './executions-cache.ts'

const lookAgain = (id: string) => {
  void queryClient.invalidateQueries({ queryKey: ['session', id] })
  void queryClient.invalidateQueries({ queryKey: sessionsKey })
}

/** Says what was not done, and why; whatever is shown may be old. */
function tell(id: string, error: unknown): void {
  toast(words.notDone(error instanceof Error ? error.message : String(error)), { isProblem: true })
  lookAgain(id)
}

export async function restore(id: string): Promise<void> {
  try {
    queryClient.setQueryData(['session', id], await roomApi.restoreSession(id))
    announce(words.restored)
    lookAgain(id)
  } catch (error) {
    tell(id, error)
  }
}

export async function trash({ id, title }: Pick<Session, 'id' | 'title'>): Promise<void> {
  try {
    await roomApi.trashSession(id)
    toast(words.trashed(title), { action: { label: words.undo, run: () => void restore(id) } })
    lookAgain(id)
  } catch (error) {
    tell(id, error)
  }
}

/** Answers with the fork's id, once there is one. */
export async function fork(id: string): Promise<string | undefined> {
  try {
    const session = await roomApi.forkSession(id)
    queryClient.setQueryData(['session', session.id], session)
    toast(words.forked)
    lookAgain(id)
    return session.id
  } catch (error) {
    tell(id, error)
    return undefined
  }
}
