import { Refusal } from '../../api.ts'
import { settingsStrings as words } from '../../strings/settings.ts'
import { toast } from '../../ui/toast.tsx'

/** Does it, and says so when it did not work. Answers whether it did. */
export async function told(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    toast(words.notDone(error instanceof Error ? error.message : String(error)), { isProblem: true })
    return false
  }
}

/** Somebody else was faster. */
export const isGone = (error: unknown): boolean => error instanceof Refusal && error.status === 404
