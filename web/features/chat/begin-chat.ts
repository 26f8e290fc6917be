import type { Agent } from '../../../src/contract/agent.ts'
import type { PromptFile } from '../../../src/contract/agent-event.ts'
import { roomApi } from '../../room-api.ts'
import { session } from '../../session.ts'
import { chatStrings } from '../../strings/chat.ts'
import { clip } from '../session/clip.ts'
import { takeExecution } from '../session/executions-cache.ts'
import { keepDraft } from '../session/session-draft.ts'
import { chatApi, sayInChat } from './chat-api.ts'

interface Wanted {
  agent: Agent
  text: string
  files: readonly PromptFile[]
  model: string | null
  workspaceId: string | null
}

/** Opens a session and says the first word in it. What could not be said is kept there, to be sent again. */
export async function beginChat({
  agent,
  text,
  files,
  model,
  workspaceId,
}: Wanted): Promise<{ sessionId: string; problem: string | null }> {
  // Whoever may only chat knows of no capabilities, and needs none.
  const mayRun = session.get()?.principal.scopes.includes('run') ?? false
  const capabilities = mayRun ? await roomApi.capabilities(agent.id) : []
  const capability = capabilities.find(({ interactionMode }) => interactionMode === 'prompt')
  if (mayRun && !capability) throw new Error(chatStrings.noAgent)
  const { id: sessionId } = await chatApi.open({
    agentId: agent.id,
    title: titleOf(text),
    ...(model !== null && { model }),
    ...(workspaceId !== null && { workspaceId }),
  })
  try {
    const prompt = text.trim() === '' ? chatStrings.seeAttached : text
    const capabilityId = capability?.id
    if (capabilityId === undefined) await sayInChat(sessionId, prompt, files)
    else takeExecution(await roomApi.start({ capabilityId, sessionId, prompt, files: [...files] }))
    return { sessionId, problem: null }
  } catch (error) {
    keepDraft(sessionId, text)
    return { sessionId, problem: error instanceof Error ? error.message : String(error) }
  }
}

const longestTitle = 80

/** The first line, as far as it makes a title. */
function titleOf(text: string): string {
  const [line = ''] = text.trim().split('\n', 1)
  const title = line.replaceAll(/\s+/g, ' ').trim()
  if (title === '') return chatStrings.picture
  const { text: kept, cut } = clip(title, longestTitle)
  return cut > 0 ? `${kept}…` : kept
}
