import { wrapLanguageModel } from 'ai'
import type { LanguageModel } from 'ai'
import { newId } from '#lib/id.ts'
import { ModelFailed } from './failure.ts'

type Wrapped = Parameters<typeof wrapLanguageModel>[0]
type Streamed = Awaited<ReturnType<ReturnType<typeof wrapLanguageModel>['doStream']>>
type Part = Streamed['stream'] extends ReadableStream<infer One> ? One : never

/** What every provider takes back in the next step, also another one than has given it. */
const plainId = /^[\w-]{1,64}$/
const longestName = 64
/** No model says as much in one answer: whoever does would fill the disk. */
const mostCharacters = 4_000_000

/**
 * The model, its calls under ids that nothing else in the turn has: questions and the journal are bound to them, and some providers
 * give the same one twice, or none. One that never ends is ended.
 */
export function tamed(model: LanguageModel, provider: string, taken: Set<string>): LanguageModel {
  if (typeof model === 'string') return model
  return wrapLanguageModel({
    model: model satisfies Wrapped['model'],
    middleware: {
      async wrapStream({ doStream }) {
        const { stream, ...rest } = await doStream()
        return { ...rest, stream: stream.pipeThrough(bounded(provider)).pipeThrough(renaming(taken)) }
      },
    },
  })
}

function bounded(provider: string): TransformStream<Part, Part> {
  let characters = 0
  return new TransformStream({
    transform(part, controller) {
      characters += charactersIn(part)
      if (characters <= mostCharacters) return controller.enqueue(part)
      const message = `${provider} says more than an answer can have, and was stopped after ${mostCharacters} characters`
      controller.error(new ModelFailed('endless', message))
    },
  })
}

function charactersIn(part: Part): number {
  if ('delta' in part && typeof part.delta === 'string') return part.delta.length
  return part.type === 'tool-call' ? part.input.length : 0
}

function renaming(taken: Set<string>): TransformStream<Part, Part> {
  /** Calls that have begun, by what the provider calls them, and are not complete yet. */
  const begun = new Map<string, string[]>()

  function begin(theirs: string): string {
    const id = plainId.test(theirs) && !taken.has(theirs) ? theirs : `call_${newId().replaceAll('-', '')}`
    taken.add(id)
    begun.set(theirs, [...(begun.get(theirs) ?? []), id])
    return id
  }

  function complete(theirs: string): string {
    const id = begun.get(theirs)?.[0] ?? begin(theirs)
    begun.set(theirs, begun.get(theirs)?.slice(1) ?? [])
    return id
  }

  function renamed(part: Part): Part {
    if (part.type === 'tool-input-start')
      return { ...part, id: begin(part.id), toolName: plainName(part.toolName) }
    if (part.type === 'tool-input-delta' || part.type === 'tool-input-end')
      return { ...part, id: begun.get(part.id)?.at(-1) ?? part.id }
    if (part.type !== 'tool-call') return part
    return { ...part, toolCallId: complete(part.toolCallId), toolName: plainName(part.toolName) }
  }
  return new TransformStream({ transform: (part, controller) => controller.enqueue(renamed(part)) })
}

/** With a name that no provider takes back the whole conversation could not go on. */
const plainName = (name: string): string =>
  name.replaceAll(/[^\w-]/g, '_').slice(0, longestName) || 'a_tool_without_a_name'
