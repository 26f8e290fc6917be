import type { ModelMessage, UserModelMessage } from 'ai'

type Part = Exclude<UserModelMessage['content'], string>[number]

/**
 * What a person said in one go as one message, with words in it: some providers refuse two in a row, as there are after an answer that was
 * stopped, and some refuse texts without words.
 */
export function presentable(messages: readonly ModelMessage[]): ModelMessage[] {
  const all: ModelMessage[] = []
  for (const message of messages) {
    const last = all.at(-1)
    if (message.role === 'user' && last?.role === 'user')
      all[all.length - 1] = { ...last, content: [...partsOf(last), ...partsOf(message)] }
    else all.push(message)
  }
  return all.map((message) => (message.role === 'user' ? inWords(message) : message))
}

const partsOf = ({ content }: UserModelMessage): Part[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content

function inWords(message: UserModelMessage): UserModelMessage {
  const { content } = message
  if (typeof content === 'string' && content.trim() !== '') return message
  const parts: Part[] = []
  for (const part of partsOf(message)) {
    const last = parts.at(-1)
    if (part.type === 'text' && part.text.trim() === '') continue
    // As one text: not every endpoint takes several.
    if (part.type === 'text' && last?.type === 'text')
      parts[parts.length - 1] = { ...last, text: `${last.text}\n\n${part.text}` }
    else parts.push(part)
  }
  const [first = { type: 'text', text: '[Nothing was said]' }, ...more] = parts
  return { ...message, content: more.length === 0 && first.type === 'text' ? first.text : [first, ...more] }
}
