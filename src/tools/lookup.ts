import type { Tool } from '#contract/tool.ts'
import { isAllowed, isGranted } from './grants.ts'
import { namespacesIn, shown } from './names.ts'
import { CallFailed } from './port.ts'
import type { Caller, FoundTool } from './port.ts'
import { indexTools } from './search.ts'
import type { SearchIndex } from './search.ts'
import { outageOf } from './shelf.ts'
import type { Catalog, Entry, Shelf } from './shelf.ts'

const mostFound = 100
const longestFound = 500
const mostIndexes = 4

/** What a caller finds. What is not granted to them does not exist. */
export function openLookup(byName: ReadonlyMap<string, Shelf>) {
  /** Ours first, then by name: always the same order. */
  const shelves = () => [...byName.values()].toSorted((a, b) => rank(a) - rank(b) || order(a, b))
  const seenIn = (caller: Caller, shelf: Shelf) =>
    isGranted(caller, shelf.settings)
      ? shelf.catalog(caller).entries.filter((entry) => shelf.isSeenBy(caller, entry))
      : []

  function entryOf(caller: Caller, name: string): Entry | undefined {
    for (const namespace of namespacesIn(name)) {
      const shelf = byName.get(namespace)
      const entry = shelf && isGranted(caller, shelf.settings) && shelf.catalog(caller).byName.get(name)
      if (entry && (entry.named.offered.isFor?.(caller) ?? true)) return entry
    }
    return undefined
  }

  const indexes: { catalogs: readonly Catalog[]; index: SearchIndex<Entry> }[] = []
  function indexFor(caller: Caller): SearchIndex<Entry> {
    const catalogs = shelves().map((shelf) => shelf.catalog(caller))
    const known = indexes.find(({ catalogs: others }) => isSame(catalogs, others))
    if (known) return known.index
    const index = indexTools(catalogs.flatMap(({ entries }) => entries))
    indexes.unshift({ catalogs, index })
    indexes.splice(mostIndexes)
    return index
  }

  return {
    shelves,
    /** Those of which this caller may use something. */
    shelvesFor: (caller: Caller): Shelf[] =>
      shelves().filter(
        (shelf) =>
          isGranted(caller, shelf.settings) && (mayUseAll(caller) || seenIn(caller, shelf).length > 0),
      ),
    all: (caller: Caller): Tool[] =>
      shelves().flatMap((shelf) => {
        const outage = outageOf(shelf.source)
        return seenIn(caller, shelf).map((entry) => shelf.view(entry, outage))
      }),
    /** The one that the tool of this name is of, if it is of one and not there. */
    lacking(caller: Caller, name: string): Shelf | undefined {
      if (entryOf(caller, name)) return undefined
      return namespacesIn(name)
        .map((namespace) => byName.get(namespace))
        .find((shelf) => shelf && isGranted(caller, shelf.settings))
    },
    find(caller: Caller, name: string): Tool | undefined {
      const entry = entryOf(caller, name)
      return entry && isAllowed(caller, entry.named) ? entry.shelf.view(entry) : undefined
    },
    /** Throws CallFailed. */
    get(caller: Caller, name: string): Entry {
      const entry = entryOf(caller, name)
      if (!entry) throw notFound(name)
      if (!isAllowed(caller, entry.named)) throw notAllowed(entry.named.name)
      return entry
    },
    search(caller: Caller, words: string, most: number): FoundTool[] {
      const found = indexFor(caller).find(words, (entry) => entry.shelf.isSeenBy(caller, entry))
      return found.slice(0, Math.max(1, Math.min(mostFound, most))).map(({ entry: { tool } }) => ({
        name: tool.name,
        wireName: tool.wireName,
        description: tool.description.slice(0, longestFound),
        source: tool.source,
      }))
    },
  }
}

const mayUseAll = (caller: Caller) => caller.kind === 'person' || caller.allowedTools.length === 0
const rank = ({ settings }: Shelf) => (settings.isNative ? 0 : 1)
const order = (a: Shelf, b: Shelf) => (a.source.name < b.source.name ? -1 : 1)
const isSame = (some: readonly Catalog[], others: readonly Catalog[]) =>
  some.length === others.length && some.every((one, at) => one === others[at])

const notFound = (name: string) =>
  new CallFailed(
    'tool_not_found',
    `There is no tool ${shown(name)}. search_tools finds those that there are.`,
    {
      isUnsent: true,
      context: { tool: shown(name) },
    },
  )

const notAllowed = (name: string) =>
  new CallFailed(
    'tool_not_granted',
    `${name} is not among the tools that this agent may use. The owner can add it to the agent's allowedTools.`,
    { isUnsent: true, context: { tool: name } },
  )
