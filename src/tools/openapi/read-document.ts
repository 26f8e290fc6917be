import { Worker } from 'node:worker_threads'
import { BadDocument, isNode, shown, textOf, wordOf } from './document.ts'
import type { Document } from './document.ts'

export const largestDocument = 10_485_760
const deepest = 200
const longestReadMs = 60_000

/** Rejects with BadDocument, if it is none that can be used as a whole. */
export async function readDocument(text: string, address?: string): Promise<Document> {
  if (Buffer.byteLength(text) > largestDocument) throw new BadDocument('The document is larger than 10 MB')
  const root = text.trimStart().startsWith('{') ? await fromBraces(text) : await fromYaml(text)
  if (!isNode(root)) throw new BadDocument('The document is neither a JSON nor a YAML object')
  if (isDeeper(root, deepest)) throw new BadDocument(`The document is nested deeper than ${deepest} levels`)
  if ('swagger' in root) {
    throw new BadDocument(
      `The document is Swagger ${wordOf(root['swagger']).slice(0, 20)}; OpenAPI 3.0 and 3.1 are understood. Convert it first`,
    )
  }
  const version = wordOf(root['openapi'])
  if (!/^3\.[01]\.\d/.test(version)) {
    throw new BadDocument(
      'openapi' in root
        ? `The document says that it is OpenAPI ${shown(version)}; 3.0 and 3.1 are understood`
        : 'The document has no field "openapi": it is no OpenAPI document',
    )
  }
  if (!isNode(root['paths']) || Object.keys(root['paths']).length === 0) {
    throw new BadDocument('The document has no paths: there is nothing to call')
  }
  const info = isNode(root['info']) ? root['info'] : {}
  return {
    root,
    is30: version.startsWith('3.0'),
    title: textOf(info['title'])?.slice(0, 200) ?? 'An API',
    version: wordOf(info['version']).slice(0, 100),
    ...(address !== undefined && { address }),
  }
}

/** JSON, or YAML that begins as JSON does. */
async function fromBraces(text: string): Promise<unknown> {
  try {
    return JSON.parse(text)
  } catch (error) {
    const asYaml = await fromYaml(text).catch(() => undefined)
    if (asYaml !== undefined) return asYaml
    throw new BadDocument(`The document is not JSON: ${reasonOf(error)}`)
  }
}

async function fromYaml(text: string): Promise<unknown> {
  const thread = new Worker(new URL('./yaml-thread.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: 1_024 },
    workerData: { text, longest: 2 * largestDocument },
  })
  try {
    const read = await new Promise<{ json?: string; error?: string }>((resolve, reject) => {
      const late = () => reject(new BadDocument('The document took longer than a minute to read'))
      const timer = setTimeout(late, longestReadMs)
      thread.once('message', resolve).once('error', reject)
      thread.once('exit', () => {
        clearTimeout(timer)
        reject(new Error('it was too much to read'))
      })
    })
    if (read.error !== undefined) throw new Error(read.error)
    return JSON.parse(read.json ?? 'null')
  } catch (error) {
    if (error instanceof BadDocument) throw error
    throw new BadDocument(`The document is neither JSON nor YAML: ${reasonOf(error)}`)
  } finally {
    await thread.terminate()
  }
}

/** With a list of its own: what is deep enough would overflow the stack. */
function isDeeper(root: object, most: number): boolean {
  let level: object[] = [root]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > most) return true
    level = level.flatMap((value) =>
      Object.values(value).filter((one): one is object => typeof one === 'object' && one !== null),
    )
  }
  return false
}

const reasonOf = (error: unknown) => {
  const message = error instanceof Error ? error.message : String(error)
  return message.split('\n', 1)[0]!.slice(0, 300).replace(/:$/, '')
}
