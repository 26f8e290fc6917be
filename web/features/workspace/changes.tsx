import type { Workspace } from '../../../src/contract/workspace.ts'
import { workspaceStrings } from '../../strings/workspace.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Changes } from '../changes/changes.tsx'

/** What a worktree has that its base has not, to be kept and brought back. */
export function ChangesWindow({ workspace, onClose }: { workspace: Workspace; onClose: () => void }) {
  return (
    <Dialog title={workspaceStrings.changesOf(workspace.name)} onClose={onClose} className="h-[76dvh] w-240">
      <Changes workspace={workspace} title={workspace.name} isAtWork={false} comments={null} say={null} />
    </Dialog>
  )
}
