import { ProtocolError, ProtocolErrorCode, UriTemplate } from '@modelcontextprotocol/server'
import type { CallHands, Caller, Registry, ToolSource } from '#tools/port.ts'
import { listFrom } from './read-pages.ts'
import type { Listed } from './read-pages.ts'
import type { Params } from './view.ts'

/** Prompts and resources of all sources together. Prompts are named like tools; a URI belongs to the first source that has it. */
export interface MergedLists {
  request(caller: Caller, method: string, params: Params, hands: CallHands): Promise<Params>
}

const divider = '__'

export function openMergedLists(registry: Registry): MergedLists {
  const having = (caller: Caller, what: 'prompts' | 'resources' | 'completions') =>
    registry.sources(caller).filter((source) => source.request && source.capabilities?.()?.[what])

  async function prompts(caller: Caller, hands: CallHands): Promise<Params> {
    const { found, silent } = await listFrom(
      registry,
      caller,
      having(caller, 'prompts'),
      'prompts/list',
      'prompts',
      hands,
    )
    const named = found.map(({ source, item }) => ({
      ...item,
      name: `${source}${divider}${String(item['name'])}`,
    }))
    return { prompts: named, ...told({ silent }) }
  }

  async function resources(
    caller: Caller,
    hands: CallHands,
    method: string,
    field: string,
    by: string,
  ): Promise<Params> {
    const sources = having(caller, 'resources')
    const { found, silent } = await listFrom(registry, caller, sources, method, field, hands)
    const first = new Map<unknown, Listed>()
    const hidden: object[] = []
    for (const listed of found) {
      const served = first.get(listed.item[by])
      if (served) hidden.push({ uri: listed.item[by], source: listed.source, servedBy: served.source })
      else first.set(listed.item[by], listed)
    }
    return { [field]: [...first.values()].map(({ item }) => item), ...told({ silent, hidden }) }
  }

  /** Whose resource this is: the first source that lists it, or that has a template for it. */
  async function ownerOf(caller: Caller, uri: string, hands: CallHands): Promise<string> {
    const sources = having(caller, 'resources')
    const list = (method: string, field: string) => listFrom(registry, caller, sources, method, field, hands)
    const { found } = await list('resources/list', 'resources')
    const listed = found.find(({ item }) => item['uri'] === uri)
    if (listed) return listed.source
    const templates = await list('resources/templates/list', 'resourceTemplates')
    const fitting = templates.found.find(({ item }) => isOf(String(item['uriTemplate']), uri))
    if (fitting) return fitting.source
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Resource not found: ${uri}`, { uri })
  }

  async function ownName(caller: Caller, name: string): Promise<{ source: ToolSource; name: string }> {
    const at = name.indexOf(divider)
    const source = having(caller, 'prompts').find((one) => one.name === name.slice(0, at))
    if (source) return { source, name: name.slice(at + divider.length) }
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt: ${name}`)
  }

  async function complete(caller: Caller, params: Params, hands: CallHands): Promise<Params> {
    const ref = params['ref'] as { type: string; name?: string; uri?: string }
    const pass = (source: string, own: object) =>
      registry.request(
        caller,
        source,
        'completion/complete',
        { ...params, ref: { ...ref, ...own } },
        hands,
      ) as Promise<Params>
    if (ref.type === 'ref/resource') return pass(await ownerOf(caller, String(ref.uri), hands), {})
    const { source, name } = await ownName(caller, String(ref.name))
    return pass(source.name, { name })
  }

  return {
    async request(caller, method, params, hands) {
      if (method === 'prompts/list') return prompts(caller, hands)
      if (method === 'resources/list') return resources(caller, hands, method, 'resources', 'uri')
      if (method === 'resources/templates/list')
        return resources(caller, hands, method, 'resourceTemplates', 'uriTemplate')
      if (method === 'completion/complete') return complete(caller, params, hands)
      if (method === 'prompts/get') {
        const { source, name } = await ownName(caller, String(params['name']))
        return (await registry.request(caller, source.name, method, { ...params, name }, hands)) as Params
      }
      const owner = await ownerOf(caller, String(params['uri']), hands)
      return (await registry.request(caller, owner, method, params, hands)) as Params
    },
  }
}

/** What a reader of the list should know: who has not answered, and what has the URI of another. */
function told(notes: { silent: string[]; hidden?: object[] }): Params {
  const meta = Object.entries(notes).filter(([, list]) => list.length > 0)
  return meta.length > 0
    ? { _meta: Object.fromEntries(meta.map(([name, list]) => [`signalbox/${name}`, list])) }
    : {}
}

function isOf(template: string, uri: string): boolean {
  // The template itself is what a completion is asked for.
  if (template === uri) return true
  try {
    return new UriTemplate(template).match(uri) !== null
  } catch {
    return false
  }
}
