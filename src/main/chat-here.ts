import type { Config } from '#config/config.ts'
import type { Chat } from '#chat/port.ts'

export interface ChatHere {
  chat(): Promise<Chat>
}

/** What it is made of, the AI SDK above all, is loaded when somebody talks to a model or asks which there are. */
export function openChatHere({ config }: { config: () => Config }): ChatHere {
  let opened: Promise<Chat> | undefined

  function chat(): Promise<Chat> {
    opened ??= import('#chat/open.ts')
      .then(({ openChat }) => openChat(() => config().models))
      .catch((error: unknown) => {
        opened = undefined // whoever asks next tries again
        throw error
      })
    return opened
  }

  return { chat }
}
