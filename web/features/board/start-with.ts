import type { Card } from '../../../src/contract/board-event.ts'
import { roomApi } from '../../room-api.ts'
import { strings } from '../../strings/page.ts'
import { announce } from '../../ui/announce.tsx'
import { toast } from '../../ui/toast.tsx'
import type { Askable } from '../agent/askable.ts'
import { takeExecution } from '../session/executions-cache.ts'
import { openWindow } from '../shell/windows.tsx'

const words = strings.board

/** What it would be asked for without another word; undefined where a person has something to say first. */
function plainly({ prompts }: Askable) {
  const [only, ...others] = prompts
  const needsArguments = Array.isArray(only?.argsSchema['required']) && only.argsSchema['required'].length > 0
  return only && others.length === 0 && !needsArguments && only.dangerLevel < 2 ? only : undefined
}

/** Gives a task to an agent: at once where nothing is to be said, else by the form that asks for it. */
export async function startWith(
  card: Card,
  askable: Askable,
  open: (sessionId: string) => void,
): Promise<void> {
  const { agent } = askable
  const capability = plainly(askable)
  if (!capability) return openWindow({ name: 'ask', agentId: agent.id, task: card })
  try {
    const execution = await roomApi.start({ capabilityId: capability.id, taskId: card.id })
    takeExecution(execution)
    announce(words.started(agent.name, card.title))
    toast(words.started(agent.name, card.title), {
      action: { label: words.openSession, run: () => open(execution.sessionId) },
    })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    toast(words.notStarted(agent.name, reason), { isProblem: true })
    announce(words.notStarted(agent.name, reason))
  }
}
