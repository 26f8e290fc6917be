import { isAbsolute, relative, resolve } from 'node:path'
import type { Prompt, PromptFile } from '#contract/agent-event.ts'
import type { Fields } from './fields.ts'

/** Codex cannot take it; the message says why. */
export class NotTaken extends Error {}

/** A message as Codex takes it. Throws NotTaken. */
export function inputOf({ text, files }: Prompt, root: string): Fields[] {
  return [textInput(text), ...files.map((file) => fileInput(file, root))]
}

const textInput = (text: string): Fields => ({ type: 'text', text, text_elements: [] })

function fileInput(file: PromptFile, root: string): Fields {
  const { url, mediaType, name = 'attachment' } = file
  const isImage = /^image\/(png|jpeg|gif|webp)$/.test(mediaType)
  if (!url.startsWith('data:')) {
    const path = resolve(root, url)
    const inside = relative(root, path)
    if (inside === '' || inside.startsWith('..') || isAbsolute(inside))
      throw new NotTaken(`The file ${url} is not in the workspace.`)
    return isImage ? { type: 'localImage', path } : { type: 'mention', name: file.name ?? inside, path }
  }
  if (isImage) return { type: 'image', url }
  if (/^text\/|\bjson\b|\bxml\b|\byaml\b/.test(mediaType)) return textInput(`${name}:\n\n${textIn(url)}`)
  throw new NotTaken(`Codex takes no ${mediaType}: ${name} was not sent.`)
}

function textIn(url: string): string {
  const comma = url.indexOf(',')
  const [head, body] = [url.slice(0, comma), url.slice(comma + 1)]
  try {
    return head.endsWith(';base64') ? Buffer.from(body, 'base64').toString('utf8') : decodeURIComponent(body)
  } catch {
    throw new NotTaken('A file that came along is no data: URL.')
  }
}
