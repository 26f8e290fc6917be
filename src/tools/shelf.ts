import type { NameCollision, Tool } from '#contract/tool.ts'
import type { Deadline } from './deadline.ts'
import { define } from './definition.ts'
import type { Definition } from './definition.ts'
import { isAllowed, isGranted, isWanted } from './grants.ts'
import { nameTools } from './names.ts'
import type { Named } from './names.ts'
import { mostPinned, openPins } from './pins.ts'
import type { Caller, OfferedTool, RegistryHands, SourceSettings, ToolSource } from './port.ts'
import { openRate } from './rate.ts'
import type { Rate } from './rate.ts'
import { openTurns } from './turns.ts'
import type { Turns } from './turns.ts'

const mostTools = 10_000
const mostCollisions = 100

/** One tool of a source, with what is known of it. */
export interface Entry extends Definition {
  shelf: Shelf
  named: Named<OfferedTool>
}

export interface Catalog {
  entries: readonly Entry[]
  /** By `namespace.tool`, by the name on the wire, and by the namespace and what the source itself calls it. */
  byName: ReadonlyMap<string, Entry>
  collisions: readonly NameCollision[]
}

/** One source in its place, with all that its calls are held to. */
export type Shelf = ReturnType<typeof openShelf>

export function openShelf(
  source: ToolSource,
  settings: SourceSettings,
  hands: RegistryHands['pins'],
  /** Those under way. */
  calls: Set<Deadline>,
  /** What was counted of the one in whose place it comes. */
  former?: { rate: Rate; turns: Turns },
) {
  const pins = settings.isNative ? undefined : openPins(hands, source.name)
  let catalogs = new WeakMap<readonly OfferedTool[], Catalog>()
  /** Each tool as it was seen last, whoever saw it. */
  const seen = new Map<string, Entry>()

  function catalog(caller?: Caller): Catalog {
    const offered = source.tools(caller)
    const known = catalogs.get(offered)
    if (known) return known
    const made = makeCatalog(shelf, offered)
    catalogs.set(offered, made)
    for (const entry of made.entries) seen.set(entry.named.short, entry)
    if (seen.size > 2 * mostTools) seen.clear()
    pins?.take(shorts(made.entries))
    return made
  }

  const shelf = {
    source,
    settings,
    catalog,
    rate: former?.rate ?? openRate(source.name, settings.rateLimit),
    turns: former?.turns ?? openTurns(source.name, settings.maxConcurrent),
    calls,
    /** Whatever was known of its tools may be otherwise now. */
    forget() {
      catalogs = new WeakMap()
      seen.clear()
      if (pins?.isReady()) catalog()
    },
    /** Resolves when it is known what was accepted. Rejects while that cannot be read. */
    async ready(): Promise<void> {
      if (!pins || pins.isReady()) return
      await pins.ready()
      pins.take(seenShorts())
    },
    /** What is strange about the names of its tools. */
    collisions: (): NameCollision[] => [
      ...(pins?.isFull() ? [tooManyShown(source.name)] : []),
      ...catalog().collisions,
    ],
    isChanged: (entry: Entry): boolean => pins?.isChanged(entry.named.short, entry) ?? false,
    accept: async (entry: Entry, by: string): Promise<void> => pins?.accept(entry.named.short, entry, by),
    lastSeen: (name: string): Entry | undefined =>
      catalog().byName.get(name) ??
      seen.values().find(({ named }) => named.name === name || named.wireName === name),
    /** The tool as it stands now. */
    view(entry: Entry, outage = outageOf(source)): Tool {
      const isChanged = shelf.isChanged(entry)
      const unavailable = entry.tool.unavailable ?? outage
      if (!isChanged && unavailable === undefined) return entry.tool
      return {
        ...entry.tool,
        definition: isChanged ? 'changed' : 'pinned',
        ...(unavailable === undefined ? {} : { unavailable }),
      }
    },
    isSeenBy: (caller: Caller, { named }: Entry): boolean =>
      isGranted(caller, settings) && (named.offered.isFor?.(caller) ?? true) && isAllowed(caller, named),
  }
  former?.rate.allow(settings.rateLimit)
  former?.turns.allow(settings.maxConcurrent)
  const seenShorts = () => shorts([...catalog().entries, ...seen.values()])
  return shelf
}

const shorts = (entries: readonly Entry[]) => entries.map((entry) => [entry.named.short, entry] as const)

function makeCatalog(shelf: Shelf, offered: readonly OfferedTool[]): Catalog {
  const { name } = shelf.source
  const { named, collisions } = nameTools(name, offered.slice(0, mostTools))
  const entries = named
    .filter((tool) => isWanted(tool, shelf.settings))
    .map((tool): Entry => ({ ...define(tool, name), shelf, named: tool }))
  // The later ones count, should two be the same.
  const byName = new Map([
    ...entries.map((entry) => [`${name}.${entry.named.offered.name}`, entry] as const),
    ...entries.map((entry) => [entry.named.wireName, entry] as const),
    ...entries.map((entry) => [entry.named.name, entry] as const),
  ])
  return { entries, byName, collisions: [...tooMany(name, offered), ...collisions.slice(0, mostCollisions)] }
}

const tooManyShown = (source: string): NameCollision => ({
  name: source,
  source,
  tool: '',
  told: `${source} has shown more different tools than are remembered (${mostPinned}): others count as changed until the owner accepts them.`,
})

function tooMany(source: string, { length }: readonly OfferedTool[]): NameCollision[] {
  if (length <= mostTools) return []
  const told = `${source} offers ${length} tools: only the first ${mostTools} are there.`
  return [{ name: source, source, tool: '', told }]
}

/** Why nothing of a source can be called at the moment, if it cannot. */
export function outageOf(source: ToolSource): string | undefined {
  const { status, error } = source.health()
  if (status === 'unhealthy') return `${source.name} cannot be reached${error ? `: ${error}` : ''}`
  if (status === 'unauthorized') return `Somebody has to let Signalbox in at ${source.name} first.`
  if (status === 'disabled') return `${source.name} is switched off.`
  return undefined
}
