import { isAbsolute, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Prompt, PromptFile } from '#contract/agent-event.ts'
import { objectIn } from './json-value.ts'
import type { JsonObject } from './json-value.ts'

export type Block = { type: string } & JsonObject

/** The agent cannot take it; the message says why. */
export class NotTaken extends Error {}

/** A prompt as the agent takes it. Throws NotTaken. */
export function promptBlocks(prompt: Prompt, capabilities: JsonObject, root: string): Block[] {
  const offered = objectIn(capabilities, 'promptCapabilities')
  return [{ type: 'text', text: prompt.text }, ...prompt.files.map((file) => blockOf(file, offered, root))]
}

function blockOf(file: PromptFile, offered: JsonObject, root: string): Block {
  return file.url.startsWith('data:') ? enclosed(file, offered) : linked(file, root)
}

/** In the workspace, where the agent can read it by itself. */
function linked({ url, mediaType, name }: PromptFile, root: string): Block {
  const path = resolve(root, url)
  const inside = relative(root, path)
  if (inside === '' || inside.startsWith('..') || isAbsolute(inside))
    throw new NotTaken(`The file ${url} is not in the workspace.`)
  return { type: 'resource_link', uri: pathToFileURL(path).href, name: name ?? inside, mimeType: mediaType }
}

function enclosed(file: PromptFile, offered: JsonObject): Block {
  const { mediaType, name = 'attachment' } = file
  const bytes = bytesOf(file)
  const data = bytes.toString('base64')
  for (const type of ['image', 'audio']) {
    if (!mediaType.startsWith(`${type}/`)) continue
    if (offered[type] !== true) throw new NotTaken(`This agent takes no ${type}s: ${name} was not sent.`)
    return { type, mimeType: mediaType, data }
  }
  const isText = /^text\/|\bjson\b|\bxml\b|\byaml\b/.test(mediaType)
  const uri = `attachment:///${encodeURIComponent(name)}`
  if (offered['embeddedContext'] === true)
    return {
      type: 'resource',
      resource: { uri, mimeType: mediaType, ...(isText ? { text: bytes.toString('utf8') } : { blob: data }) },
    }
  if (isText) return { type: 'text', text: `${name}:\n\n${bytes.toString('utf8')}` }
  throw new NotTaken(`This agent takes no files of the type ${mediaType}: ${name} was not sent.`)
}

function bytesOf({ url, name = 'attachment' }: PromptFile): Buffer {
  const comma = url.indexOf(',')
  if (comma === -1) throw new NotTaken(`The file ${name} could not be read: it is no data: URL.`)
  const body = url.slice(comma + 1)
  if (url.slice(0, comma).endsWith(';base64')) return Buffer.from(body, 'base64')
  try {
    return Buffer.from(decodeURIComponent(body))
  } catch {
    throw new NotTaken(`The file ${name} could not be read: it is no data: URL.`)
  }
}
