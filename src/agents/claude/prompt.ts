import type { Prompt, PromptFile } from '#contract/agent-event.ts'

const images = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
const dataUrl = /^data:([^;,]*)(?:;[^;,]*)*?(;base64)?,/

type Content = Record<string, unknown>[]

/** The message as Claude wants it, or why it cannot be handed over. */
export function contentOf(prompt: Prompt): { content: Content } | { refused: string } {
  const content: Content = prompt.text === '' ? [] : [{ type: 'text', text: prompt.text }]
  for (const file of prompt.files) {
    const block = blockOf(file)
    if (!block)
      return { refused: `Claude Code cannot read ${file.name ?? 'a file'} of type ${file.mediaType}.` }
    content.push(block)
  }
  return content.length > 0 ? { content } : { refused: 'The message is empty.' }
}

function blockOf({ url, mediaType, name }: PromptFile): Record<string, unknown> | undefined {
  const brought = dataUrl.exec(url.slice(0, 1_000))
  // A path within the workspace: it reads the file itself.
  if (!brought) return { type: 'text', text: `Attached file: ${url}` }
  const body = url.slice(brought[0].length)
  const data = brought[2] ? body : Buffer.from(decodeURIComponent(body)).toString('base64')
  if (images.has(mediaType)) return { type: 'image', source: { type: 'base64', media_type: mediaType, data } }
  if (mediaType === 'application/pdf')
    return { type: 'document', source: { type: 'base64', media_type: mediaType, data } }
  if (!/^text\/|[/+](json|xml|yaml)$/.test(mediaType)) return undefined
  const text = Buffer.from(data, 'base64').toString('utf8')
  return { type: 'text', text: `Attached file${name ? ` ${name}` : ''}:\n${text}` }
}
