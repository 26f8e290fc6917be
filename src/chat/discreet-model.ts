import { wrapLanguageModel } from 'ai'
import type { LanguageModel } from 'ai'
import { asModelFailed } from './failure.ts'

type Wrapped = Parameters<typeof wrapLanguageModel>[0]['model']

/** The model, which fails in words that people may read: as ModelFailed, and never with the key that it is asked with. */
export const discreet = (model: Wrapped, provider: string, apiKey: string | undefined): LanguageModel =>
  wrapLanguageModel({
    model,
    middleware: {
      async wrapStream({ doStream, params }) {
        try {
          const { stream, ...rest } = await doStream()
          return { ...rest, stream: stream.pipeThrough(told(provider, apiKey)) }
        } catch (error) {
          params.abortSignal?.throwIfAborted()
          throw asModelFailed(error, provider, apiKey)
        }
      },
    },
  })

type Stream = Awaited<ReturnType<ReturnType<typeof wrapLanguageModel>['doStream']>>['stream']
type Part = Stream extends ReadableStream<infer One> ? One : never

const told = (provider: string, apiKey: string | undefined): TransformStream<Part, Part> =>
  new TransformStream({
    transform(part, controller) {
      controller.enqueue(
        part.type === 'error' ? { ...part, error: asModelFailed(part.error, provider, apiKey) } : part,
      )
    },
  })
