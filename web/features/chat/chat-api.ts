import type { PromptFile } from '../../../src/contract/agent-event.ts'
import type { AvailableModels, CheckedModels } from '../../../src/contract/model.ts'
import type { EditSession, OpenSession, Session } from '../../../src/contract/session.ts'
import { authorization, base, data, reach, refusalOf, send } from '../../api.ts'
import { dropSession } from '../../session.ts'

const looked = (machineId: string | null, isFresh: boolean, signal?: AbortSignal) => ({
  query: { ...(machineId !== null && { machineId }), ...(isFresh && { fresh: '1' }) },
  ...(signal && { signal }),
})

export const chatApi = {
  models: (machineId: string | null, isFresh: boolean, signal?: AbortSignal) =>
    data(send<AvailableModels>('GET', '/models/available', looked(machineId, isFresh, signal))),
  check: (machineId: string | null, isFresh: boolean, signal?: AbortSignal) =>
    data(send<CheckedModels>('GET', '/models/check', looked(machineId, isFresh, signal))),
  open: (body: OpenSession) => data(send<Session>('POST', '/sessions', { body })),
  edit: (id: string, body: EditSession) => data(send<Session>('PATCH', `/sessions/${id}`, { body })),
}

/** A message of a person, as the conversation names it. */
export interface SaidMessage {
  id: string
  text: string
  files: readonly PromptFile[]
}

/** Asks for another answer in the place of the one to this message. */
export const regenerate = (sessionId: string, said: SaidMessage, answerId: string): Promise<void> =>
  ask(sessionId, { trigger: 'regenerate-message', messageId: answerId, messages: [asMessage(said)] })

/** Says something else in the place of this message: what came after it is left out of the conversation. */
export const rewrite = (sessionId: string, said: SaidMessage): Promise<void> =>
  ask(sessionId, {
    trigger: 'submit-message',
    messageId: said.id,
    // It is another message, and gets a name of its own.
    messages: [asMessage({ ...said, id: '' })],
  })

/** Says something in a chat, as whoever may only chat does. */
export const sayInChat = (sessionId: string, text: string, files: readonly PromptFile[]): Promise<void> =>
  ask(sessionId, { trigger: 'submit-message', messages: [asMessage({ id: '', text, files })] })

/** Stops what is being answered; what was said until then stays. */
export const stopChat = (sessionId: string) => send<null>('DELETE', `/sessions/${sessionId}/chat/stream`)

const asMessage = ({ id, text, files }: SaidMessage) => ({
  id,
  role: 'user',
  parts: [
    ...files.map(({ url, mediaType, name }) => ({
      type: 'file',
      url,
      mediaType,
      ...(name !== undefined && { filename: name }),
    })),
    { type: 'text', text },
  ],
})

/** What is answered comes by the session's own stream: this one is not read. */
async function ask(sessionId: string, body: object): Promise<void> {
  const answer = await reach(`${base}/sessions/${sessionId}/chat`, {
    method: 'POST',
    headers: { ...authorization(), 'Content-Type': 'application/json' },
    body: JSON.stringify({ id: sessionId, ...body }),
  })
  if (answer.status === 401) dropSession()
  if (!answer.ok) throw await refusalOf(answer)
  await answer.body?.cancel()
}
