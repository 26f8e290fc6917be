import { Refusal } from '../../api.ts'
import { queryClient } from '../../query-client.ts'
import { workspaceStrings as words } from '../../strings/workspace.ts'
import { toast } from '../../ui/toast.tsx'

export const reread = () =>
  Promise.all(
    ['workspaces', 'disk', 'archives'].map((key) => queryClient.invalidateQueries({ queryKey: [key] })),
  )

/** Does something with a workspace, or says why not; one that has vanished meanwhile is said to have. */
export async function actOn(name: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const isGone =
      error instanceof Refusal && ['workspace_not_found', 'archive_not_found'].includes(error.code)
    const why = error instanceof Error ? error.message : String(error)
    toast(isGone ? words.vanished(name) : words.notDone(why), { isProblem: true })
  }
  await reread()
}
