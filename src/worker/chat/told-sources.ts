import type { Caller, Registry, ToolSource } from '#tools/port.ts'

/** So long a source is waited for at most, and only once; tools that come later are there in the next step. */
const patienceMs = 10_000

/** By registry and by name: null once it has told its tools, or was waited for. */
const firstWords = new WeakMap<object, Map<string, Promise<void> | null>>()

/**
 * Resolves when every source has told what tools it has, or could not be reached. Only those of a worker that was just started have not:
 * a turn that it takes up would go on without the tools that it was begun with. Throws the reason of the signal when that is aborted.
 */
export async function toldSources(
  registry: Pick<Registry, 'sources'>,
  caller: Caller,
  signal: AbortSignal,
): Promise<void> {
  const known = firstWords.get(registry) ?? new Map<string, Promise<void> | null>()
  firstWords.set(registry, known)
  const silent = registry.sources(caller).flatMap((source) => {
    const { name } = source
    if (!known.has(name))
      known.set(name, hasTold(source) ? null : firstWordOf(source).finally(() => known.set(name, null)))
    return known.get(name) ?? []
  })
  if (silent.length === 0) return
  const { promise: aborted, resolve: onAbort } = Promise.withResolvers<void>()
  const abort = () => onAbort()
  signal.addEventListener('abort', abort)
  await Promise.race([Promise.all(silent), aborted])
  signal.removeEventListener('abort', abort)
  signal.throwIfAborted()
}

/** One that has tools has told them, and is only being reached again. */
const hasTold = (source: ToolSource): boolean =>
  source.health().status !== 'connecting' || source.tools().length > 0

async function firstWordOf(source: ToolSource): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const stopListening = source.onChange(() => {
    if (hasTold(source)) resolve()
  })
  const timer = setTimeout(resolve, patienceMs)
  await promise
  clearTimeout(timer)
  stopListening()
}
