import { once } from 'node:events'
import { McpServer, ResourceTemplate, inputRequired } from '@modelcontextprotocol/server'
import type { GetPromptResult, InputRequiredResult } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { addAskingTools } from './asking-tools.ts'
import { addContentTools, onePixel } from './content-tools.ts'
import { contentOf, form, verifyState } from './rounds.ts'

const description = 'Says what a scenario wants'

/** A server with the tools, resources and prompts that the scenarios name. */
export function scenarioServer(): McpServer {
  const server = new McpServer(
    { name: 'scenarios', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        logging: {},
        completions: {},
      },
      requestState: { verify: verifyState },
      instructions: 'Everything that is asked for, and nothing of use',
    },
  )
  addContentTools(server)
  addAskingTools(server)
  addTriggers(server)
  addEndless(server)
  addResources(server)
  addPrompts(server)
  server.server.setRequestHandler('completion/complete', ({ params }) => {
    const values = ['paris', 'park', 'party'].filter((one) => one.startsWith(params.argument.value))
    return { completion: { values, total: values.length, hasMore: false } }
  })
  return server
}

let begun = 0
let ended = 0

/** What does not end by itself, and what says how often it was begun and ended. */
function addEndless(server: McpServer): void {
  const inputSchema = z.object({})
  server.registerTool('endless', { description, inputSchema }, async (_args, { mcpReq: { signal } }) => {
    begun += 1
    if (!signal.aborted) await once(signal, 'abort')
    ended += 1
    return { content: [] }
  })
  server.registerTool('endings', { description, inputSchema }, () => ({
    content: [{ type: 'text', text: JSON.stringify({ begun, ended }) }],
  }))
}

/** What changes a list, so that those who listen can be told. */
function addTriggers(server: McpServer): void {
  server.registerTool(
    'test_trigger_tool_change',
    { description: 'Changes a list', inputSchema: z.object({}) },
    () => {
      const late = server.registerTool(`late_${Date.now()}`, { description }, () => ({ content: [] }))
      setTimeout(() => late.remove(), 5_000).unref()
      return { content: [{ type: 'text', text: 'There is one more tool' }] }
    },
  )
  server.registerTool(
    'test_trigger_prompt_change',
    { description: 'Changes a list', inputSchema: z.object({}) },
    () => {
      const late = server.registerPrompt(`late_${Date.now()}`, { description }, () => ({ messages: [] }))
      setTimeout(() => late.remove(), 5_000).unref()
      return { content: [{ type: 'text', text: 'There is one more prompt' }] }
    },
  )
}

function addResources(server: McpServer): void {
  const mimeType = 'text/plain'
  const texts = { 'static-text': 'The text of a resource', 'watched-resource': 'What is watched' }
  for (const [name, text] of Object.entries(texts)) {
    const uri = `test://${name}`
    server.registerResource(name, uri, { mimeType }, () => ({ contents: [{ uri, mimeType, text }] }))
  }
  const uri = 'test://static-binary'
  server.registerResource('static-binary', uri, { mimeType: 'image/png' }, () => ({
    contents: [{ uri, mimeType: 'image/png', blob: onePixel }],
  }))
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined })
  server.registerResource('template', template, { mimeType: 'application/json' }, (at, { id }) => ({
    contents: [
      { uri: at.href, mimeType: 'application/json', text: JSON.stringify({ id, data: `Of ${String(id)}` }) },
    ],
  }))
  const watched = new Set<string>()
  server.server.setRequestHandler('resources/subscribe', ({ params }) => {
    watched.add(params.uri)
    return {}
  })
  server.server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    watched.delete(params.uri)
    return {}
  })
}

function addPrompts(server: McpServer): void {
  const said = (text: string): GetPromptResult => ({
    messages: [{ role: 'user', content: { type: 'text', text } }],
  })
  server.registerPrompt('test_simple_prompt', { description }, () => said('A simple prompt'))
  const argsSchema = z.object({ arg1: z.string(), arg2: z.string() })
  server.registerPrompt('test_prompt_with_arguments', { description, argsSchema }, ({ arg1, arg2 }) =>
    said(`With arg1='${arg1}' and arg2='${arg2}'`),
  )
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description, argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri: uri }) => ({
      messages: [
        {
          role: 'user',
          content: { type: 'resource', resource: { uri, mimeType: 'text/plain', text: 'Embedded' } },
        },
        ...said('Look at the resource').messages,
      ],
    }),
  )
  server.registerPrompt('test_prompt_with_image', { description }, () => ({
    messages: [
      { role: 'user', content: { type: 'image', data: onePixel, mimeType: 'image/png' } },
      ...said('Look at the picture').messages,
    ],
  }))
  server.registerPrompt(
    'test_input_required_result_prompt',
    { description: 'Asks before it says anything' },
    // Without arguments the context is the first parameter, which the types do not know.
    (given): GetPromptResult | InputRequiredResult => {
      const answer = contentOf(given, 'user_context')
      if (answer) return said(`Use this: ${String(answer['context'])}`)
      return inputRequired({ inputRequests: { user_context: form('Which context?', 'context') } })
    },
  )
}
