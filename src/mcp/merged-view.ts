import type { ServerCapabilities } from '@modelcontextprotocol/server'
import { RUN_CODE } from '#contract/tool.ts'
import type { Tool, ToolsListed } from '#contract/tool.ts'
import { CallFailed } from '#tools/port.ts'
import type { Caller, Registry } from '#tools/port.ts'
import type { CodeNamesOf } from './code-names.ts'
import { openMergedLists } from './merged-lists.ts'
import { callMetaTool, isMetaTool, metaTools, metaToolsWithCode } from './meta-tools.ts'
import type { View, WireTool } from './view.ts'

const mostListed = 60
const mostBytes = 60 * 1024
const board = 'board'

interface MergedOptions {
  listing: ToolsListed
  /** Nothing but the board is in reach. */
  isBoardOnly: boolean
  namesOf: CodeNamesOf
}

/** What all sources have, under one roof. */
export function mergedView(registry: Registry, { listing, isBoardOnly, namesOf }: MergedOptions): View {
  const lists = openMergedLists(registry)
  const ofBoard = (caller: Caller) => registry.list(caller).filter(({ source }) => source === board)
  const runCode = (caller: Caller) => registry.find(caller, RUN_CODE)
  const meta = { registry, namesOf, usualFormat: listing === 'code' ? 'typescript' : 'both' } as const

  /** Undefined: too many. */
  function allListed(caller: Caller, inBrief = false): WireTool[] | undefined {
    if (inBrief || listing === 'search' || listing === 'code') return undefined
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
      const hasCode = runCode(caller) !== undefined
      if (hasCode && listing === 'code')
        return `Signalbox, a control room for coding agents. Its ${length - 1} tools are called by code: find them with search_tools, read their types with describe_tool, then call as many as you need in one ${RUN_CODE}, and return only what you want to read.`
      const rest = allListed(caller)
        ? 'search_tools finds a tool by what it does, describe_tool tells all about it.'
        : `There are ${length} tools, too many to list: find them with search_tools, read about one with describe_tool, call it with call_tool.`
      const byCode = hasCode
        ? ` ${RUN_CODE} runs code that calls tools: better than many calls one after the other, and only what it returns is read.`
        : ''
      return `Signalbox, a control room for coding agents: ${boardTools} It also has the tools of every source that is connected to it. ${rest}${byCode} read_result reads on in a result that was cut.`
    },
    listTools(caller, inBrief) {
      if (isBoardOnly) return ofBoard(caller).map(asWire)
      const running = runCode(caller)
      if (!running) return [...(allListed(caller, inBrief) ?? ofBoard(caller).map(asWire)), ...metaTools]
      if (listing === 'code') return [...metaToolsWithCode.filter(findsTools), asWire(running)]
      const few = () => [...ofBoard(caller), running].map(asWire)
      return [...(allListed(caller, inBrief) ?? few()), ...metaToolsWithCode]
    },
    async callTool(caller, name, args, hands) {
      if (isMetaTool(name) && !isBoardOnly) return callMetaTool(meta, caller, name, args, hands)
      if (!isBoardOnly) await registry.ready(caller, name, hands)
      const tool = registry.find(caller, name)
      if (!tool || (isBoardOnly && tool.source !== board))
        throw new CallFailed('tool_not_found', `There is no tool ${name}`)
      return registry.call(caller, name, args, hands)
    },
    request: (caller, method, params, hands) => lists.request(caller, method, params, hands),
  }
}

const findsTools = ({ name }: WireTool) => name === 'search_tools' || name === 'describe_tool'
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
