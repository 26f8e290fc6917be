import type { ToolSource } from '#tools/port.ts'

/** How long whoever registers a source waits for it. */
const firstWordMs = 2_000

/** It says how it is, or some time has passed. */
export async function firstWord(source: ToolSource): Promise<void> {
  if (source.health().status !== 'connecting') return
  const said = Promise.withResolvers<void>()
  const timer = setTimeout(said.resolve, firstWordMs)
  const end = source.onChange(() => {
    if (source.health().status !== 'connecting') said.resolve()
  })
  await said.promise
  clearTimeout(timer)
  end()
}
