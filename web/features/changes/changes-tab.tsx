import type { Session } from '../../../src/contract/session.ts'
import { isLive } from '../session/execution-list.ts'
import type { KnownExecution } from '../session/execution-list.ts'
import { useWorkspaceOf } from '../session/use-workspace-of.ts'
import { Changes } from './changes.tsx'
import { useComments } from './comment-store.ts'
import { ReviewBar } from './review-bar.tsx'
import { useSay } from './use-say.ts'

interface Props {
  session: Session
  /** The newest. */
  execution: KnownExecution | undefined
  isChat: boolean
}

/** What a session has changed, to be talked about with its agent, and kept. */
export default function ChangesTab({ session, execution, isChat }: Props) {
  const { data: workspace } = useWorkspaceOf(session)
  const comments = useComments(session.id)
  const say = useSay(session, execution, isChat)
  if (!workspace) return null
  return (
    <Changes
      workspace={workspace}
      title={session.title}
      isAtWork={execution !== undefined && isLive(execution.status)}
      comments={comments}
      say={say}
    >
      <ReviewBar comments={comments} say={say} />
    </Changes>
  )
}
