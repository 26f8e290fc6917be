import { z } from 'zod'
import { CapabilityWords, ExecuteCode } from '#contract/execute.ts'
import type { CodeWaiting } from '#contract/execute.ts'
import { RUN_CODE } from '#contract/tool.ts'
import type { ToolResult } from '#contract/tool.ts'
import { Id } from '#contract/text.ts'
import { Problem } from '#domain/problem.ts'
import { newId } from '#lib/id.ts'
import type { CallHands, Caller, NativeTool, NativeTools } from '#tools/port.ts'
import { answered, isForScope, principalOf, read } from '../tools/native-tool.ts'
import { resultInWords, waitingInWords } from './in-words.ts'
import type { MachineCode } from './machine-code.ts'
import { openUnheard } from './unheard.ts'
import type { UnheardNeeds } from './unheard.ts'

export interface RunCodeNeeds extends UnheardNeeds {
  code: () => Promise<MachineCode>
  /** How long a person's own client is kept waiting for an answer; that of an agent waits as long as it takes. */
  patienceMs?: number
}

const { code, timeout } = ExecuteCode.shape
const Input = z.strictObject({
  code: code.optional().describe('TypeScript: the body of an async function'),
  timeout: timeout.describe('Milliseconds; the time in which a person is asked does not count'),
  context: z.record(z.string(), z.unknown()).optional().describe('What the code finds as `context`'),
  capabilities: CapabilityWords.optional().describe(
    'What it may reach, when that is not all your tools: `mcp:github`, `mcp:github.get_issue`, `network:api.example.com`, `fs:src`, `fs:out:rw`, `system:time`, `system:random`',
  ),
  requestId: Id.optional().describe('Instead of code: a run that waits for a person, whose result is wanted'),
})
type Input = z.infer<typeof Input>

/** All that is granted to the caller, and nothing besides tools. */
const usual = ['mcp:*']

const description = `Runs TypeScript that calls your tools: many calls in one, and only what you return is read by you. The code is the body of an async function; tools are \`mcp.<namespace>.<tool>({…})\`, and what they answer is plain data. Find them with search_tools (\`code\` is how to write each), read their types with describe_tool. Types are checked before anything runs. What needs a person's yes is asked on the way, and the code goes on after it.
const issues = await mcp.github.list_issues({ owner: 'acme', repo: 'site' })
return issues.filter((issue) => issue.comments > 5).map(({ number, title }) => ({ number, title }))`

/** Most clients give up after a minute. */
const usualPatienceMs = 45_000

/** Code that calls tools, as one tool. What it calls is asked about by itself. */
export function codeTools(needs: RunCodeNeeds): NativeTools {
  return {
    name: 'code',
    description: 'Runs code that calls the other tools',
    tools: [runCodeTool(needs)],
  }
}

const mayRunCode = isForScope('code')

function runCodeTool({ code: opened, patienceMs = usualPatienceMs, ...needs }: RunCodeNeeds): NativeTool {
  const unheard = openUnheard(needs)
  const { $schema: _, ...inputSchema } = z.toJSONSchema(Input, { io: 'input' })

  async function run(caller: Caller, given: Input, { signal, ...hands }: CallHands): Promise<ToolResult> {
    const machine = await opened()
    if (given.requestId !== undefined) return heard(machine, caller, given.requestId, { signal, ...hands })
    const wanted = asked(caller, given)
    const former = await unheard.take(caller, wanted)
    const requestId = former ?? newId()
    const leave = unheard.waitFor(requestId)
    try {
      if (former === undefined) {
        const answer = await machine.execute(principalOf(caller), wanted, { signal, requestId })
        if ('result' in answer) return resultInWords(answer.result, wanted.code)
      }
      return await heard(machine, caller, requestId, { signal, ...hands }, wanted)
    } finally {
      leave()
    }
  }

  /** Waits while a person is asked. Who gives up and asks for the same again hears of this one: nothing is done twice. */
  async function heard(
    machine: MachineCode,
    caller: Caller,
    requestId: string,
    { signal, whileAsking = (asking) => asking() }: CallHands,
    wanted?: ExecuteCode,
  ): Promise<ToolResult> {
    const late = caller.kind === 'person' ? AbortSignal.timeout(patienceMs) : undefined
    let waiting: CodeWaiting = { requestId, approvals: [] }
    const ears = {
      signal: late ? AbortSignal.any([signal, late]) : signal,
      onWaiting: (now: CodeWaiting) => void (waiting = now),
    }
    try {
      const result = await whileAsking(() => machine.ended(principalOf(caller), requestId, ears))
      unheard.forget(requestId)
      return resultInWords(result, wanted?.code)
    } catch (error) {
      if (!ears.signal.aborted) throw error
      if (wanted) unheard.put(caller, wanted, requestId)
      if (signal.aborted) throw error
      return waitingInWords(waiting)
    }
  }

  return {
    name: RUN_CODE,
    title: 'Run code',
    description,
    inputSchema,
    annotations: { openWorldHint: false, readOnlyHint: false, idempotentHint: false, destructiveHint: false },
    version: '1',
    isFor: (caller) => mayRunCode(caller) && caller.inCode === undefined,
    needsNoApproval: true,
    about: ({ code: given, requestId }) => ({
      ...(typeof given === 'string' && { codeChars: given.length }),
      ...(typeof requestId === 'string' && { requestId }),
    }),
    run: (caller, args, hands) => answered(() => run(caller, read(Input, args), hands)),
  }
}

/** Throws a Problem when there is no code. */
function asked(
  caller: Caller,
  { code: given, timeout: ms, context, capabilities = usual }: Input,
): ExecuteCode {
  if (given === undefined)
    throw new Problem('does_not_fit', 'Give code to run, or the requestId of a run that waits', {
      fields: [{ field: 'code', reason: 'is needed' }],
    })
  const { sessionId } = caller
  const isConfirmed = caller.kind === 'person' && caller.confirmed === true
  return ExecuteCode.parse({
    code: given,
    capabilities,
    ...(ms !== undefined && { timeout: ms }),
    ...(context !== undefined && { context }),
    ...(sessionId !== undefined && { sessionId }),
    ...(isConfirmed && { confirm: true }),
  })
}
