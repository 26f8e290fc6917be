import { SourceName } from '#contract/source.ts'
import type { SourceHealth } from '#contract/source.ts'
import { machineOfHandle } from '#contract/tool.ts'
import type { ReadResult, ToolResult } from '#contract/tool.ts'
import type { Logger } from '#lib/log.ts'
import { openBook } from './book.ts'
import type { Story } from './book.ts'
import { perform, underway } from './call.ts'
import { openChanges } from './changes.ts'
import { openKeptResults } from './kept-results.ts'
import { openLookup } from './lookup.ts'
import { openMetrics } from './metrics.ts'
import { namespacesIn, shown } from './names.ts'
import { CallFailed } from './port.ts'
import type { Caller, CallHands, Registry, RegistryHands, SourceSettings, ToolSource } from './port.ts'
import { passOn } from './request.ts'
import { bound, limitsOf, nextPiece } from './results.ts'
import { openShelf } from './shelf.ts'
import type { Shelf } from './shelf.ts'

export interface RegistryOptions {
  /** In the handles of what is kept, so that it is found from other machines. */
  machineId?: string
  /** On every figure of `metrics`, so that those of several machines can stand side by side. */
  metricLabels?: Record<string, string>
  /** Told of bugs, whose words are not for whoever called. */
  log?: Logger
}

/** Lists and completions are asked for at every turn; these hand something over. */
const noted = new Set(['resources/read', 'prompts/get', 'resources/subscribe'])

export function openRegistry(hands: RegistryHands, options: RegistryOptions = {}): Registry {
  const shelves = new Map<string, Shelf>()
  const leaving = new Map<Shelf, () => void>()
  const lookup = openLookup(shelves)
  const kept = openKeptResults(Date.now, options.machineId)
  const metrics = openMetrics(options.metricLabels ?? {})
  const book = openBook((entry) => hands.note(entry), metrics, options.log)
  const changes = openChanges()

  /** What nobody has heard of may be there in a moment: whoever was let in just now has a connection that begins. */
  async function ready(caller: Caller, name: string, callHands: CallHands): Promise<void> {
    const shelf = lookup.lacking(caller, name)
    const telling = shelf?.source.ready?.(caller)
    if (shelf && telling) await underway(shelf, shown(name), callHands, (deadline) => deadline.hold(telling))
  }

  async function call(
    caller: Caller,
    name: string,
    args: Record<string, unknown>,
    callHands: CallHands,
    story: Story,
  ): Promise<ToolResult> {
    const find = () => lookup.get(caller, name)
    await ready(caller, name, callHands)
    const { shelf, named, tool } = find()
    Object.assign(story, { tool: named.name, source: shelf.source.name })
    const answer = await perform({
      caller,
      args,
      hands: callHands,
      find,
      approve: (question, signal) => hands.approve(question, signal),
      detail: story.detail,
    })
    // It was cut there, and the rest is kept there.
    if (named.offered.isAskedElsewhere) return answer
    const keep = (texts: readonly string[]) => kept.keep(caller, texts)
    // A model in a chat reads the text, not what the schema is of.
    const isReadBySchema =
      tool.outputSchema !== undefined && !(caller.kind === 'agent' && caller.inChat && !caller.inCode)
    const { result, chars, isCut } = bound(answer, limitsOf(caller), keep, isReadBySchema)
    Object.assign(story.detail, { chars, ...(isCut ? { isCut } : {}) })
    return result
  }

  async function readResult(caller: Caller, wanted: ReadResult): Promise<ToolResult> {
    const { handle, offset } = wanted
    const machineId = machineOfHandle(handle)
    if (machineId !== undefined && machineId !== options.machineId && hands.readElsewhere)
      return hands.readElsewhere(caller, machineId, wanted)
    return nextPiece(handle, kept.read(caller, handle, offset))
  }

  function put(source: ToolSource, settings: SourceSettings) {
    const { name } = source
    if (!settings.isNative && !SourceName.safeParse(name).success)
      throw new Error(`${name} cannot be the name of a source`)
    const former = shelves.get(name)
    // The same source by other rules: what is under way goes on.
    const isKept = former?.source === source
    const shelf = openShelf(source, settings, hands.pins, isKept ? former.calls : new Set(), former)
    shelves.set(name, shelf)
    if (former) leave(former)
    if (former && !isKept) void retire(former, 'was set up anew')
    const off = source.onChange((change) => {
      if (change.kind === 'tools') shelf.forget()
      changes.say(name, change)
    })
    leaving.set(shelf, off)
    // Should it not be known yet what was accepted, the next call asks again.
    shelf.ready().then(
      () => changes.say(name, { kind: 'tools' }),
      () => {},
    )
    changes.say(name, { kind: 'tools' })
    changes.say(name, { kind: 'health' })
  }

  function leave(shelf: Shelf) {
    leaving.get(shelf)?.()
    leaving.delete(shelf)
  }

  async function retire(shelf: Shelf, why: string): Promise<void> {
    leave(shelf)
    for (const one of shelf.calls)
      one.end(new CallFailed('source_unavailable', `${shelf.source.name} ${why}.`))
    // Whatever it says on its way out, it is gone from here.
    await shelf.source.close().catch(() => {})
  }

  async function remove(name: string): Promise<void> {
    const shelf = shelves.get(name)
    if (!shelf) return
    shelves.delete(name)
    changes.say(name, { kind: 'tools' })
    changes.say(name, { kind: 'health' })
    await retire(shelf, 'was taken away while it was called')
  }

  return {
    list: (caller) => lookup.all(caller),
    find: (caller, name) => lookup.find(caller, name),
    ready,
    search: (caller, words, most) => lookup.search(caller, words, most),
    call(caller, name, args, callHands) {
      const story: Story = { caller, tool: shown(name), source: '', detail: {} }
      return book.keep(story, () => call(caller, name, args, callHands, story))
    },
    request(caller, source, method, params, callHands) {
      const pass = () => passOn({ caller, source, method, params, hands: callHands }, shelves.get(source))
      if (!noted.has(method)) return pass()
      const known = shelves.has(source) ? source : ''
      return book.keep({ caller, tool: `${shown(source)} ${method}`, source: known, detail: {} }, pass)
    },
    readResult,
    source: (name) => shelves.get(name)?.source,
    sources: (caller) => lookup.shelvesFor(caller).map(({ source }) => source),
    collisions: () => lookup.shelves().flatMap((shelf) => shelf.collisions()),
    health: () => lookup.shelves().flatMap((shelf) => (shelf.settings.isNative ? [] : [healthOn(shelf)])),
    healthOf(source) {
      const shelf = shelves.get(source)
      return shelf && healthOn(shelf)
    },
    put,
    remove,
    onChange: (listener) => changes.on(listener),
    async accept(name, by) {
      const entry = namespacesIn(name)
        .values()
        .map((namespace) => shelves.get(namespace)?.lastSeen(name))
        .find((found) => found !== undefined)
      if (!entry) throw new CallFailed('tool_not_found', `There is no tool ${shown(name)}.`)
      await entry.shelf.accept(entry, by)
      changes.say(entry.shelf.source.name, { kind: 'tools' })
    },
    metrics: () => metrics.text(),
    async close() {
      const all = [...shelves.values()]
      shelves.clear()
      await Promise.all(all.map((shelf) => retire(shelf, 'is being shut down')))
      changes.close()
      kept.close()
    },
  }
}

const healthOn = ({ source, catalog }: Shelf): SourceHealth => ({
  ...source.health(),
  tools: catalog().entries.length,
})
