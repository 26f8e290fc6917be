import type { Config } from '#config/config.ts'
import type { ToolResult } from '#contract/tool.ts'
import { inWords, mcpTools } from '#contract/workspace-mcp.ts'
import type { McpTool } from '#contract/workspace-mcp.ts'
import { CommandAsked, toolAnswers, toolInputs } from '#contract/workspace-tool.ts'
import type { ToolAnswer, ToolName } from '#contract/workspace-tool.ts'
import { subjectOf } from '#db/audit-subject.ts'
import { rulesFor } from '#db/policy-rules.ts'
import type { Database } from '#db/pool.ts'
import { checkCommand } from '#domain/command.ts'
import { configuredRules } from '#domain/policy.ts'
import { CallFailed } from '#tools/port.ts'
import type { CallHands, Caller, NativeTool, NativeTools } from '#tools/port.ts'
import type { ToolCalls } from '../call-tool.ts'
import { openWayIn } from './way-in.ts'
import type { WayIn } from './way-in.ts'
import { answered, principalOf, read } from './native-tool.ts'

export interface WorkspaceNeeds {
  db: Database
  machineId: string
  toolCalls: ToolCalls
  policies: () => Config['policies']
}

type Named = keyof typeof inWords

/** Under which name each is known inside. */
const inside = {
  read_file: 'read',
  write_file: 'write',
  edit_file: 'edit',
  list_files: 'list',
  search_files: 'search',
  execute_command: 'command',
} as const satisfies Record<Named, ToolName>

/** No call of these takes longer, whatever is asked of it. */
export const longestWorkspaceCallMs = 660_000

/** The files of a session's workspace, and commands in it: an agent's own, or of one that a person may see. */
export function workspaceTools(needs: WorkspaceNeeds): NativeTools {
  const wayIn = openWayIn(needs)
  return {
    name: 'workspace',
    description: 'The files of the workspace of a session, and commands in it',
    tools: mcpTools.map((tool) => workspaceTool(needs, wayIn, tool)),
  }
}

function workspaceTool(
  needs: WorkspaceNeeds,
  wayIn: WayIn,
  { name, annotations, ...tool }: McpTool,
): NativeTool {
  const named = name as Named
  const isRead = 'readOnlyHint' in annotations && annotations.readOnlyHint === true
  return {
    ...tool,
    name,
    inputSchema: { ...tool.inputSchema },
    annotations: { ...annotations },
    version: '1',
    isFor: ({ sessionId }) => sessionId !== undefined,
    // An agent sees these files anyway; what it changes is asked about. Rules can refuse both.
    needsNoApproval: isRead,
    about: (args) => aboutOf(named, args),
    run: (caller, args, hands) => answered(() => run(needs, wayIn, { caller, named, args, hands })),
  }
}

interface Run {
  caller: Caller
  named: Named
  args: Record<string, unknown>
  hands: CallHands
}

async function run(
  needs: WorkspaceNeeds,
  wayIn: WayIn,
  { caller, named, args, hands }: Run,
): Promise<ToolResult> {
  const { sessionId } = caller
  if (sessionId === undefined)
    throw new CallFailed('tool_not_found', 'These tools are there in a session only: name one', {
      isUnsent: true,
    })
  const at = { sessionId, hands }
  if (named !== 'execute_command') {
    const tool = inside[named]
    const within = tool === 'write' ? caller.inCode?.within : undefined
    return said(named, await wayIn.ask(at, tool, read(toolInputs[tool], within ? { ...args, within } : args)))
  }
  // What an agent calls has passed the registry, which holds to the same rules: only what they forbid is left to refuse.
  const wasAsked = caller.kind === 'agent'
  const confirm = wasAsked || caller.confirmed === true
  const input = read(CommandAsked, { ...args, stream: true, confirm })
  const check = async ({ agentId }: { agentId: string | null }) =>
    checkCommand(
      principalOf(caller),
      { ...input, wasAsked },
      {
        rules: await rulesFor(needs.db, agentId),
        configured: configuredRules(needs.policies()),
      },
    )
  return said(named, await wayIn.command(at, input, check))
}

/** In words for a model, and whole for a program. */
function said(named: Named, data: unknown): ToolResult {
  const words = inWords[named] as (answer: ToolAnswer<(typeof inside)[Named]>) => string[]
  const answer = toolAnswers[inside[named]].parse(data)
  return {
    content: words(answer).map((text) => ({ type: 'text', text })),
    structuredContent: { ...answer },
  }
}

function aboutOf(named: Named, args: Record<string, unknown>): Record<string, unknown> {
  const tool = inside[named]
  const { data } = toolInputs[tool].safeParse(named === 'execute_command' ? { ...args, stream: true } : args)
  return data ? subjectOf(tool, data as never) : {}
}
