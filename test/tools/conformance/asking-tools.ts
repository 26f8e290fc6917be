import { inputRequired } from '@modelcontextprotocol/server'
import type {
  CallToolResult,
  InputRequiredResult,
  McpServer,
  ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { defaultsForm, enumsForm } from './forms.ts'
import { contentOf, form, message, mintState } from './rounds.ts'

type Answer = CallToolResult | InputRequiredResult
type Work = (ctx: ServerContext, args: Record<string, unknown>) => Answer | Promise<Answer>

const said = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] })

const description = 'Wants to know something first'

/** Tools that want to know something first. */
export function addAskingTools(server: McpServer): void {
  for (const [name, work] of Object.entries(tools))
    server.registerTool(name, { description, inputSchema: z.object({}) }, (args, ctx) => work(ctx, args))
  const prompt = z.object({ prompt: z.string() })
  server.registerTool('test_sampling', { description, inputSchema: prompt }, (args, ctx) => {
    const answer = textIn(ctx, 'answer')
    return answer === undefined ? asks({ answer: message(args.prompt) }) : said(`LLM response: ${answer}`)
  })
  server.registerTool(
    'test_elicitation',
    { description, inputSchema: z.object({ message: z.string() }) },
    (args, ctx) => filledIn(ctx, form(args.message, 'username')),
  )
}

const tools: Record<string, Work> = {
  test_elicitation_sep1034_defaults: (ctx) => filledIn(ctx, defaultsForm),
  test_elicitation_sep1330_enums: (ctx) => filledIn(ctx, enumsForm),
  test_missing_capability: (ctx) => {
    const answer = textIn(ctx, 'answer')
    return answer === undefined ? asks({ answer: message('Say pong') }) : said(answer)
  },
  test_input_required_result_elicitation: (ctx) => {
    const name = contentOf(ctx, 'user_name')?.['name']
    return typeof name === 'string'
      ? said(`Hello, ${name}!`)
      : asks({ user_name: form('What is your name?', 'name') })
  },
  test_input_required_result_sampling: (ctx) => {
    const answer = textIn(ctx, 'capital_question')
    return answer === undefined
      ? asks({ capital_question: message('What is the capital of France?') })
      : said(`It says: ${answer}`)
  },
  test_input_required_result_list_roots: (ctx) => {
    const roots = rootsIn(ctx)
    return roots ? said(`${roots.length} roots`) : asks({ client_roots: inputRequired.listRoots() })
  },
  test_input_required_result_request_state: async (ctx) => {
    if (!contentOf(ctx, 'confirm'))
      return asks({ confirm: form('Please confirm', 'ok', 'boolean') }, { at: 'confirm' })
    return said(ctx.mcpReq.requestState() === undefined ? 'the state is lost' : 'state-ok')
  },
  test_input_required_result_tampered_state: async (ctx) =>
    contentOf(ctx, 'confirm')
      ? said('As it was')
      : asks({ confirm: form('Please confirm', 'ok', 'boolean') }, { at: 'tampered' }),
  test_input_required_result_multiple_inputs: async (ctx) => {
    const name = contentOf(ctx, 'user_name')?.['name']
    const greeting = textIn(ctx, 'greeting')
    const roots = rootsIn(ctx)
    if (name !== undefined && greeting !== undefined && roots)
      return said(`${greeting}, ${JSON.stringify(name)}: ${roots.length} roots`)
    const questions = {
      user_name: form('What is your name?', 'name'),
      greeting: message('Generate a greeting'),
      client_roots: inputRequired.listRoots(),
    }
    return asks(questions, { at: 'all' })
  },
  test_input_required_result_multi_round: async (ctx) => {
    const { round = 0, name } = ctx.mcpReq.requestState<{ round?: number; name?: string }>() ?? {}
    if (round === 0) return asks({ step1: form('Step 1: What is your name?', 'name') }, { round: 1 })
    if (round === 1) {
      const given = contentOf(ctx, 'step1')?.['name']
      return asks({ step2: form('Step 2: What is your favorite color?', 'color') }, { round: 2, name: given })
    }
    return said(`${name} likes ${String(contentOf(ctx, 'step2')?.['color'])}`)
  },
  test_input_required_result_capabilities: (ctx) =>
    ctx.mcpReq.inputResponses
      ? said('Everybody was asked what they can answer')
      : asks({
          user_name: form('What is your name?', 'name'),
          greeting: message('Generate a short greeting'),
        }),
}

type Questions = NonNullable<Parameters<typeof inputRequired>[0]['inputRequests']>

function asks(inputRequests: Questions): InputRequiredResult
function asks(inputRequests: Questions, state: Record<string, unknown>): Promise<InputRequiredResult>
function asks(inputRequests: Questions, state?: Record<string, unknown>) {
  if (!state) return inputRequired({ inputRequests })
  return mintState(state).then((requestState) => inputRequired({ inputRequests, requestState }))
}

/** Asks for a form, and says what came back. */
function filledIn({ mcpReq }: ServerContext, asked: Questions[string]): Answer {
  const answer = mcpReq.inputResponses?.['form'] as { action?: string; content?: object } | undefined
  if (!answer) return asks({ form: asked })
  return said(
    `Elicitation completed: action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`,
  )
}

function textIn({ mcpReq }: ServerContext, key: string): string | undefined {
  const answer = mcpReq.inputResponses?.[key] as { content?: { text?: string } } | undefined
  return answer?.content?.text
}

function rootsIn({ mcpReq }: ServerContext): unknown[] | undefined {
  return (mcpReq.inputResponses?.['client_roots'] as { roots?: unknown[] } | undefined)?.roots
}
