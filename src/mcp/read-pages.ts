import type { CallHands, Caller, Registry, ToolSource } from '#tools/port.ts'

export interface Listed {
  source: string
  item: Record<string, unknown>
}

const mostPages = 100

/** What all of these sources list, in their order. Who does not answer is named, and the others are listed all the same. */
export async function listFrom(
  registry: Registry,
  caller: Caller,
  sources: readonly ToolSource[],
  method: string,
  field: string,
  hands: CallHands,
): Promise<{ found: Listed[]; silent: string[] }> {
  const lists = await Promise.allSettled(
    sources.map(({ name }) => readPages(registry, caller, name, method, field, hands)),
  )
  const found: Listed[] = []
  const silent: string[] = []
  for (const [index, { name }] of sources.entries()) {
    const list = lists[index]
    if (list?.status === 'fulfilled') found.push(...list.value.map((item) => ({ source: name, item })))
    else silent.push(name)
  }
  return { found, silent }
}

async function readPages(
  registry: Registry,
  caller: Caller,
  source: string,
  method: string,
  field: string,
  hands: CallHands,
): Promise<Listed['item'][]> {
  const items: Listed['item'][] = []
  let cursor: unknown
  for (let page = 0; page < mostPages; page++) {
    const answer = await registry.request(
      caller,
      source,
      method,
      cursor === undefined ? {} : { cursor },
      hands,
    )
    const { [field]: listed, nextCursor } = answer as Record<string, unknown>
    if (Array.isArray(listed)) items.push(...(listed as Listed['item'][]))
    if (nextCursor === undefined) break
    cursor = nextCursor
  }
  return items
}
