import type { ServerCapabilities } from '@modelcontextprotocol/server'
import type { Tool } from '#contract/tool.ts'
import { CallFailed } from '#tools/port.ts'
import type { Caller, Registry } from '#tools/port.ts'
import { openMergedLists } from './merged-lists.ts'
import { callMetaTool, isMetaTool, metaTools } from './meta-tools.ts'
import type { View, WireTool } from './view.ts'

/** Which tools are listed: `search` lists those of the board and those that find the others; `auto` does when there are many. */
export type Listing = 'auto' | 'all' | 'search'

const mostListed = 60
const mostBytes = 60 * 1024
const board = 'board'

interface MergedOptions {
  listing: Listing
  /** Nothing but the board is in reach. */
  isBoardOnly: boolean
}

/** What all sources have, under one roof. */
export function mergedView(registry: Registry, { listing, isBoardOnly }: MergedOptions): View {
  const lists = openMergedLists(registry)
  const ofBoard = (caller: Caller) => registry.list(caller).filter(({ source }) => source === board)

  /** Undefined: too many. */
  function allListed(caller: Caller): WireTool[] | undefined {
    if (listing === 'search') return undefined
    const tools = registry.list(caller).map(asWire)
    const isMany = tools.length > mostListed || JSON.stringify(tools).length > mostBytes
    return listing === 'auto' && isMany ? undefined : tools
  }

  const capabilities: ServerCapabilities = isBoardOnly
    ? { tools: { listChanged: true } }
    : {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true },
        completions: {},
        logging: {},
      }

  return {
    source: undefined,
    capabilities: () => capabilities,
    instructions(caller) {
      if (isBoardOnly) return `Signalbox, a control room for coding agents: ${boardTools}`
      const { length } = registry.list(caller)
      const rest = allListed(caller)
        ? 'search_tools finds a tool by what it does, describe_tool tells all about it.'
        : `There are ${length} tools, too many to list: find them with search_tools, read about one with describe_tool, call it with call_tool.`
      return `Signalbox, a control room for coding agents: ${boardTools} It also has the tools of every source that is connected to it. ${rest} read_result reads on in a result that was cut.`
    },
    listTools: (caller) =>
      isBoardOnly
        ? ofBoard(caller).map(asWire)
        : [...(allListed(caller) ?? ofBoard(caller).map(asWire)), ...metaTools],
    async callTool(caller, name, args, hands) {
      if (isMetaTool(name) && !isBoardOnly) return callMetaTool(registry, caller, name, args, hands)
      if (!isBoardOnly) await registry.ready(caller, name, hands)
      const tool = registry.find(caller, name)
      if (!tool || (isBoardOnly && tool.source !== board))
        throw new CallFailed('tool_not_found', `There is no tool ${name}`)
      return registry.call(caller, name, args, hands)
    },
    request: (caller, method, params, hands) => lists.request(caller, method, params, hands),
  }
}

const boardTools = 'its board of tasks can be read and changed, and agents can be given work.'

const asWire = ({
  wireName,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
}: Tool): WireTool => ({
  name: wireName,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
})
