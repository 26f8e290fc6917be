import type { Caller, Registry } from '#tools/port.ts'

/** So long the model waits for tools at most; those that come later are there in its next step. */
const patienceMs = 10_000

/**
 * Resolves when every source has told what tools it has, or could not be reached. Only those of a worker that was just started have not:
 * a turn that it takes up would go on without the tools that it was begun with.
 */
export async function toldSources(
  registry: Pick<Registry, 'sources' | 'onChange'>,
  caller: Caller,
): Promise<void> {
  const isBeginning = () => registry.sources(caller).some((source) => source.health().status === 'connecting')
  if (!isBeginning()) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const stopListening = registry.onChange(() => {
    if (!isBeginning()) resolve()
  })
  const timer = setTimeout(resolve, patienceMs)
  await promise
  clearTimeout(timer)
  stopListening()
}
