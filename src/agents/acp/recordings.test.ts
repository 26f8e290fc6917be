import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { SessionFacts } from '#contract/agent-event.ts'
import { AcpStage, HeardTurn, brokenParts } from '../../../test/support/scripted-acp/open.ts'
import type { Message } from '../../../test/support/scripted-acp/wire.ts'

let stage: AcpStage
beforeEach(() => {
  stage = new AcpStage()
})
afterEach(() => stage.close())

/** Does what was done when it was recorded, and tells in short what was heard of every turn. */
async function replay(name: string): Promise<{ facts: object; turns: string[] }> {
  const recording = join(import.meta.dirname, 'fixtures', `${name}.ndjson`)
  const lines = readFileSync(recording, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { dir: string; msg: Message })
  const find = (...methods: string[]) =>
    lines.find(({ msg }) => methods.includes(msg.method ?? ''))?.msg.params
  const sessionRef = (find('session/load', 'session/resume')?.['sessionId'] as string | undefined) ?? null
  const mode = (find('session/set_mode')?.['modeId'] as string | undefined) ?? null
  const agent = await stage.open({ recording, turn: { sessionRef, isContinued: sessionRef !== null, mode } })
  const turns: HeardTurn[] = []
  const begun = lines.findIndex(({ msg }) => msg.method === 'session/prompt')
  const protocol = () => stage.frames.filter(({ direction }) => direction !== 'err')
  let asked = 0
  for (const [index, { dir, msg }] of lines.entries()) {
    const turn = turns.at(-1)
    if (dir === 'out' || index < begun) continue
    // Whoever spoke then had heard all that was said before.
    await vi.waitFor(() => expect(protocol().length).toBeGreaterThanOrEqual(index), {
      timeout: 5000,
      interval: 5,
    })
    if (msg.method === 'session/prompt') {
      await turn?.end
      asked = 0
      const [block] = msg.params!['prompt'] as { text: string }[]
      turns.push(new HeardTurn(agent, block!.text))
    } else if (msg.method === 'session/cancel') await agent.tell({ type: 'interrupt', payload: {} })
    else if (
      turn &&
      isPermission(lines.slice(0, index), msg) &&
      lines[index - 1]?.msg.method !== 'session/cancel'
    ) {
      asked += 1
      const nth = asked
      await turn.hear(() => turn.of('approval').length >= nth)
      const { approval } = turn.of('approval')[nth - 1]!
      const optionId = (msg.result as { outcome: { optionId?: string } }).outcome.optionId
      const chosen = approval.options.find(({ id }) => id === optionId)
      await turn.answer(approval, chosen?.kind.startsWith('allow') ? 'granted' : 'refused')
    }
  }
  await turns.at(-1)?.end
  for (const turn of turns) expect(brokenParts(turn)).toEqual([])
  const told = Object.assign({}, ...turns[0]!.of('session').map(({ facts }) => facts)) as SessionFacts
  const { models: _, modes: __, ...facts } = told
  return { facts, turns: await Promise.all(turns.map(inShort)) }
}

const isPermission = (before: { dir: string; msg: Message }[], { id }: Message): boolean =>
  before.findLast(({ dir, msg }) => dir === 'out' && msg.id === id && msg.method !== undefined)?.msg
    .method === 'session/request_permission'

async function inShort(turn: HeardTurn): Promise<string> {
  const { reason, message } = await turn.end
  const tools = turn.chunks('tool-input-start').map(({ toolCallId, toolName }) => {
    const chunks = turn.chunks().filter((chunk) => chunk['toolCallId'] === toolCallId)
    const input = chunks.findLast(({ type }) => type === 'tool-input-available')?.['input']
    const end = chunks.findLast(({ type }) => type.startsWith('tool-output'))
    const outcome = end?.['errorText'] ?? end?.['output'] ?? ''
    return `${String(toolName)} ${JSON.stringify(input)} ${end?.type.slice(12)} ${JSON.stringify(outcome)}`
  })
  const asked = turn.of('approval').map(({ approval }) => `asked ${approval.tool}: ${approval.subject}`)
  const diffs = turn.chunks('data-diff').map(({ data }) => `diff ${(data as { path: string }).path}`)
  const notices = turn.chunks('data-notice').map(({ data }) => `notice ${(data as { text: string }).text}`)
  const { inputTokens, outputTokens, costUsd, steps } = turn.of('usage').at(-1)!.usage
  const thought = turn
    .chunks('reasoning-delta')
    .map(({ delta }) => delta)
    .join('')
  return [
    `${reason}${message ? ` (${message})` : ''}: ${turn.text()}`,
    ...(thought ? [`thought ${thought}`] : []),
    ...asked,
    ...tools,
    ...diffs,
    ...notices,
    `${inputTokens} + ${outputTokens} tokens, ${costUsd} $, ${steps} steps`,
  ].join('\n')
}

it('understands gemini-01-basic', async () => {
  expect(await replay('gemini-01-basic')).toMatchInlineSnapshot(`
    {
      "facts": {
        "agentVersion": "0.61.0",
        "began": "new",
        "mode": "default",
        "model": "auto",
        "sessionRef": "8240a2e3-6ac6-4086-958e-ad2e7d1690a8",
      },
      "turns": [
        "completed: I will call a tool.All done.
    asked run_shell_command: echo hi > out.txt
    run_shell_command {"title":"echo hi > out.txt","text":"[current working directory /lab] (run: echo hi > out.txt)"} available ""
    2000 + 100 tokens, null $, 2 steps",
        "completed: second turn text
    thought **Thinking**
    pondering deeply
    1000 + 50 tokens, null $, 1 steps",
        "completed: I will call a tool.wrote it
    asked write_file: /workspace/gemini-1/w.txt
    write_file {"title":"Writing to w.txt","paths":["/workspace/gemini-1/w.txt"],"diffs":[{"path":"/workspace/gemini-1/w.txt","oldText":"","newText":"hello world\\n"}]} available ""
    diff /workspace/gemini-1/w.txt
    2000 + 100 tokens, null $, 2 steps",
        "completed: I will call a tool.after reject
    asked run_shell_command: touch rejected.txt
    run_shell_command {"title":"touch rejected.txt","text":"[current working directory /lab] (run: touch rejected.txt)"} denied ""
    2000 + 100 tokens, null $, 2 steps",
        "completed: I will call a tool.after cancel outcome
    asked run_shell_command: touch cancelled.txt
    run_shell_command {"title":"touch cancelled.txt","text":"[current working directory /lab] (run: touch cancelled.txt)"} denied ""
    2000 + 100 tokens, null $, 2 steps",
      ],
    }
  `)
})

it('understands gemini-02-cancel', async () => {
  expect(await replay('gemini-02-cancel')).toMatchInlineSnapshot(`
    {
      "facts": {
        "agentVersion": "0.61.0",
        "began": "new",
        "mode": "default",
        "model": "auto",
        "sessionRef": "0c3bc94d-b3b8-485c-8c60-955cf40df38c",
      },
      "turns": [
        "interrupted: tick-1 tick-2 tick-3 
    0 + 0 tokens, null $, 1 steps",
        "completed: still alive
    1000 + 50 tokens, null $, 1 steps",
        "interrupted: I will call a tool.
    asked run_shell_command: touch q1; sleep 31
    run_shell_command {"title":"touch q1; sleep 31","text":"[current working directory /lab] (run: touch q1; sleep 31)"} available "Command cancelled by user."
    0 + 0 tokens, null $, 1 steps",
        "interrupted: I will call a tool.
    asked run_shell_command: touch q2; sleep 32
    run_shell_command {"title":"touch q2; sleep 32","text":"[current working directory /lab] (run: touch q2; sleep 32)"} error "Interrupted before a result was told"
    0 + 0 tokens, null $, 1 steps",
      ],
    }
  `)
})

it('understands gemini-03-load', async () => {
  expect(await replay('gemini-03-load')).toMatchInlineSnapshot(`
    {
      "facts": {
        "agentVersion": "0.61.0",
        "began": "loaded",
        "mode": "default",
        "model": "auto",
        "sessionRef": "8240a2e3-6ac6-4086-958e-ad2e7d1690a8",
      },
      "turns": [
        "completed: continued after load
    1000 + 50 tokens, null $, 1 steps",
      ],
    }
  `)
})

it('understands gemini-05-errors', async () => {
  expect(await replay('gemini-05-errors')).toMatchInlineSnapshot(`
    {
      "facts": {
        "agentVersion": "0.61.0",
        "began": "new",
        "mode": "default",
        "model": "auto",
        "sessionRef": "fb47ff23-1d75-4668-9e60-1f8076bd9da1",
      },
      "turns": [
        "failed (bad thing): 
    0 + 0 tokens, null $, 1 steps",
        "failed (bad key): 
    0 + 0 tokens, null $, 1 steps",
        "interrupted: 
    0 + 0 tokens, null $, 1 steps",
        "interrupted: 
    0 + 0 tokens, null $, 1 steps",
        "failed (terminated): par
    0 + 0 tokens, null $, 1 steps",
        "completed: fine again
    1000 + 50 tokens, null $, 1 steps",
        "completed: I will call a tool.mcp ok
    asked mcp_echo_ping: null
    mcp_echo_ping {"title":"ping (echo MCP Server)","text":"{\\"msg\\":\\"yo\\"}"} available "pong yo"
    2000 + 100 tokens, null $, 2 steps",
      ],
    }
  `)
})

it('understands gemini-08-norelaunch', async () => {
  expect(await replay('gemini-08-norelaunch')).toMatchInlineSnapshot(`
    {
      "facts": {
        "agentVersion": "0.61.0",
        "began": "new",
        "mode": "default",
        "model": "auto",
        "sessionRef": "031a0322-267d-4c9c-9b54-4eaca2d2bcca",
      },
      "turns": [
        "completed: ok
    1000 + 50 tokens, null $, 1 steps",
      ],
    }
  `)
})

it('understands opencode-01-basic', async () => {
  expect(await replay('opencode-01-basic')).toMatchInlineSnapshot(`
    {
      "facts": {
        "agentVersion": "1.18.33",
        "began": "new",
        "mode": "build",
        "model": "fake/fake-model",
        "sessionRef": "ses_e1f4450ecffe6GzMtnlbJ3iPzd",
      },
      "turns": [
        "completed: I will call a tool.All done.
    asked bash: echo hi > out.txt
    bash {"command":"echo hi > out.txt","cwd":"/workspace/opencode-1"} available {"output":"(no output)","metadata":{"output":"(no output)","exit":0,"truncated":false}}
    1000 + 50 tokens, 0.0025 $, 2 steps",
        "completed: second turn text
    thought pondering deeply
    1000 + 50 tokens, 0.00125 $, 1 steps",
        "completed: I will call a tool.wrote it
    asked write: /workspace/opencode-1/w.txt
    write {"filePath":"/workspace/opencode-1/w.txt","content":"hello world\\n"} available {"output":"Wrote file successfully.","metadata":{"diagnostics":{},"filepath":"/workspace/opencode-1/w.txt","exists":false,"truncated":false}}
    diff /workspace/opencode-1/w.txt
    1000 + 50 tokens, 0.0025 $, 2 steps",
        "completed: I will call a tool.
    asked bash: touch rejected.txt
    bash {"command":"touch rejected.txt","cwd":"/workspace/opencode-1"} denied ""
    1000 + 50 tokens, 0.00125 $, 1 steps",
        "completed: I will call a tool.
    asked bash: touch cancelled.txt
    bash {"command":"touch cancelled.txt"} denied ""
    1000 + 50 tokens, 0.00125 $, 1 steps",
      ],
    }
  `)
})

it('understands opencode-02-cancel', async () => {
  expect(await replay('opencode-02-cancel')).toMatchInlineSnapshot(`
    {
      "facts": {
        "agentVersion": "1.18.33",
        "began": "new",
        "mode": "build",
        "model": "fake/fake-model",
        "sessionRef": "ses_e1f439382ffe9wKpl1F5qd5Snc",
      },
      "turns": [
        "interrupted: tick-1 tick-2 tick-3 
    0 + 0 tokens, 0 $, 1 steps",
        "completed: still alive
    1000 + 50 tokens, 0.00125 $, 1 steps",
        "interrupted: I will call a tool.
    asked bash: touch q1; sleep 31
    bash {"command":"touch q1; sleep 31","cwd":"/workspace/opencode-2"} available {"output":"(no output)\\n\\n<shell_metadata>\\nUser aborted the command\\n</shell_metadata>","metadata":{"output":"(no output)\\n\\n<shell_metadata>\\nUser aborted the command\\n</shell_metadata>","exit":null,"truncated":false}}
    0 + 0 tokens, 0 $, 1 steps",
        "interrupted: I will call a tool.
    asked bash: touch q2; sleep 32
    bash {"command":"touch q2; sleep 32","cwd":"/workspace/opencode-2"} error "Tool execution aborted"
    0 + 0 tokens, 0 $, 1 steps",
      ],
    }
  `)
})

it('understands opencode-03-load', async () => {
  expect(await replay('opencode-03-load')).toMatchInlineSnapshot(`
    {
      "facts": {
        "agentVersion": "1.18.33",
        "began": "loaded",
        "mode": "build",
        "model": "fake/fake-model",
        "sessionRef": "ses_e1f4450ecffe6GzMtnlbJ3iPzd",
      },
      "turns": [
        "completed: continued after load
    1000 + 50 tokens, null $, 1 steps",
      ],
    }
  `)
})

it('understands opencode-03b-resume', async () => {
  expect(await replay('opencode-03b-resume')).toMatchInlineSnapshot(`
    {
      "facts": {
        "agentVersion": "1.18.33",
        "began": "resumed",
        "mode": "build",
        "model": "fake/fake-model",
        "sessionRef": "ses_e1f4450ecffe6GzMtnlbJ3iPzd",
      },
      "turns": [
        "completed: continued after resume
    1000 + 50 tokens, null $, 1 steps",
      ],
    }
  `)
})

it('understands opencode-05-errors', async () => {
  expect(await replay('opencode-05-errors')).toMatchInlineSnapshot(`
    {
      "facts": {
        "agentVersion": "1.18.33",
        "began": "new",
        "mode": "build",
        "model": "fake/fake-model",
        "sessionRef": "ses_e1f42d083fferEpjMTx4hwFxbS",
      },
      "turns": [
        "failed (bad thing): 
    0 + 0 tokens, 0 $, 1 steps",
        "failed (bad key): 
    0 + 0 tokens, 0 $, 1 steps",
        "interrupted: 
    0 + 0 tokens, 0 $, 1 steps",
        "interrupted: 
    0 + 0 tokens, 0 $, 1 steps",
        "interrupted: 
    0 + 0 tokens, 0 $, 1 steps",
        "completed: fine again
    1000 + 50 tokens, 0.00125 $, 1 steps",
        "completed: I will call a tool.mcp ok
    echo_ping {"msg":"yo"} available {"output":"pong yo","metadata":{"truncated":false}}
    1000 + 50 tokens, 0.0025 $, 2 steps",
      ],
    }
  `)
})

it('understands opencode-08-fs-refused', async () => {
  expect(await replay('opencode-08-fs-refused')).toMatchInlineSnapshot(`
    {
      "facts": {
        "agentVersion": "1.18.33",
        "began": "new",
        "mode": "build",
        "model": "fake/fake-model",
        "sessionRef": "ses_e1f3b7683ffeZS4HI8GlhKSaXr",
      },
      "turns": [
        "completed: I will call a tool.ok
    asked write: /workspace/oc8/a.txt
    write {"filePath":"/workspace/oc8/a.txt","content":"hello\\n"} available {"output":"Wrote file successfully.","metadata":{"diagnostics":{},"filepath":"/workspace/oc8/a.txt","exists":false,"truncated":false}}
    diff /workspace/oc8/a.txt
    1000 + 50 tokens, 0.0025 $, 2 steps",
      ],
    }
  `)
})

it('understands claude-acp-01-basic', async () => {
  expect(await replay('claude-acp-01-basic')).toMatchInlineSnapshot(`
    {
      "facts": {
        "agentVersion": "0.99.1",
        "began": "new",
        "mode": "default",
        "model": "default",
        "sessionRef": "59e762cc-3613-4cb3-8a3c-32ec568bb40c",
      },
      "turns": [
        "completed: I will call a tool.All done.
    asked Bash: echo hi > out.txt
    Bash {"command":"echo hi > out.txt","description":"run: echo hi > out.txt"} available "(Bash completed with no output)"
    2000 + 100 tokens, 0.015 $, 2 steps",
        "completed: second turn text
    thought pondering deeply
    1000 + 50 tokens, 0.015 $, 1 steps",
        "completed: I will call a tool.wrote it
    asked Write: /workspace/claude-acp-1/w.txt
    Write {"file_path":"/workspace/claude-acp-1/w.txt","content":"hello world\\n"} available "File created successfully at: /workspace/claude-acp-1/w.txt (file state is current in your context — no need to Read it back)"
    diff /workspace/claude-acp-1/w.txt
    2000 + 100 tokens, 0.015 $, 2 steps",
        "completed: I will call a tool.after reject
    asked Bash: touch rejected.txt
    Bash {"command":"touch rejected.txt","description":"run: touch rejected.txt"} denied ""
    2000 + 100 tokens, 0.015 $, 2 steps",
        "completed: I will call a tool.after cancel outcome
    asked Bash: touch cancelled.txt
    Bash {"command":"touch cancelled.txt","description":"run: touch cancelled.txt"} denied ""
    2000 + 100 tokens, 0.015 $, 2 steps",
      ],
    }
  `)
})

it('understands claude-acp-02-cancel', async () => {
  expect(await replay('claude-acp-02-cancel')).toMatchInlineSnapshot(`
    {
      "facts": {
        "agentVersion": "0.99.1",
        "began": "new",
        "mode": "default",
        "model": "default",
        "sessionRef": "5eda87d9-439c-4746-a7f6-f83c96779281",
      },
      "turns": [
        "interrupted: tick-1 tick-2 tick-3 
    0 + 0 tokens, 0.005 $, 1 steps",
        "completed: still alive
    1000 + 50 tokens, 0.01 $, 1 steps",
        "interrupted: I will call a tool.
    asked Bash: touch q1; sleep 31
    Bash {"command":"touch q1; sleep 31","description":"run: touch q1; sleep 31"} error "\`\`\`\\nThe user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.\\n\`\`\`"
    1000 + 50 tokens, 0.01 $, 1 steps",
        "interrupted: I will call a tool.
    asked Bash: touch q2; sleep 32
    Bash {"command":"touch q2; sleep 32","description":"run: touch q2; sleep 32"} error "\`\`\`\\nThe user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.\\n\`\`\`"
    1000 + 50 tokens, 0.01 $, 1 steps",
      ],
    }
  `)
})

it('understands claude-acp-03-load', async () => {
  expect(await replay('claude-acp-03-load')).toMatchInlineSnapshot(`
    {
      "facts": {
        "agentVersion": "0.99.1",
        "began": "loaded",
        "mode": "default",
        "model": "default",
        "sessionRef": "59e762cc-3613-4cb3-8a3c-32ec568bb40c",
        "title": "FAKE: sh touch cancelled.txt ;; text after cancel outcome",
      },
      "turns": [
        "completed: continued after load
    1000 + 50 tokens, null $, 1 steps",
      ],
    }
  `)
})

it('understands claude-acp-03b-resume', async () => {
  expect(await replay('claude-acp-03b-resume')).toMatchInlineSnapshot(`
    {
      "facts": {
        "agentVersion": "0.99.1",
        "began": "resumed",
        "mode": "default",
        "model": "default",
        "sessionRef": "59e762cc-3613-4cb3-8a3c-32ec568bb40c",
        "title": "FAKE: text continued after load",
      },
      "turns": [
        "completed: continued after resume
    1000 + 50 tokens, null $, 1 steps",
      ],
    }
  `)
})

it('understands claude-acp-05-errors', async () => {
  expect(await replay('claude-acp-05-errors')).toMatchInlineSnapshot(`
    {
      "facts": {
        "agentVersion": "0.99.1",
        "began": "new",
        "mode": "default",
        "model": "default",
        "sessionRef": "b1d0750e-e9ef-4f52-ace4-d5d24150803e",
      },
      "turns": [
        "failed (API Error: 400 bad thing): API Error: 400 bad thing
    0 + 0 tokens, null $, 1 steps",
        "interrupted: 
    0 + 0 tokens, null $, 1 steps",
        "failed (API Error: Request rejected (429) · slow down): API Error: Request rejected (429) · slow down
    0 + 0 tokens, null $, 1 steps",
        "interrupted: 
    0 + 0 tokens, null $, 1 steps",
        "interrupted: 
    6000 + 6 tokens, 0.04412 $, 1 steps",
        "completed: fine again
    1000 + 50 tokens, 0.01 $, 1 steps",
        "completed: I will call a tool.mcp ok
    asked mcp__echo__ping: null
    mcp__echo__ping {"msg":"yo"} available [{"type":"text","text":"pong yo"}]
    2000 + 100 tokens, 0.015 $, 2 steps",
      ],
    }
  `)
})

it('understands codex-acp-01-basic', async () => {
  expect(await replay('codex-acp-01-basic')).toMatchInlineSnapshot(`
    {
      "facts": {
        "agentVersion": "2.6.0",
        "began": "new",
        "mode": "agent",
        "model": "gpt-5.5",
        "sessionRef": "01a1e0c1-d611-7932-bb45-901ef5d6b4c0",
        "title": "FAKE: sh echo hi > out.txt ;; text All done.",
      },
      "turns": [
        "completed: All done.
    exec_command {"command":"echo hi > out.txt","cwd":"/workspace/codex-acp-1"} available ""
    2000 + 100 tokens, null $, 2 steps",
        "completed: second turn text
    thought 

    pondering deeply
    1000 + 50 tokens, null $, 1 steps",
        "completed: wrote it
    edit {"title":"Editing files","diffs":[{"path":"/workspace/codex-acp-1/w.txt","oldText":null,"newText":"hello world\\n"}]} available ""
    diff /workspace/codex-acp-1/w.txt
    2000 + 100 tokens, null $, 2 steps",
        "completed: after reject
    exec_command {"command":"touch rejected.txt","cwd":"/workspace/codex-acp-1"} available ""
    2000 + 100 tokens, null $, 2 steps",
        "completed: after cancel outcome
    exec_command {"command":"touch cancelled.txt","cwd":"/workspace/codex-acp-1"} available ""
    2000 + 100 tokens, null $, 2 steps",
      ],
    }
  `)
})

it('understands codex-acp-02-cancel', async () => {
  expect(await replay('codex-acp-02-cancel')).toMatchInlineSnapshot(`
    {
      "facts": {
        "agentVersion": "2.6.0",
        "began": "new",
        "mode": "agent",
        "model": "gpt-5.5",
        "sessionRef": "01a1e0c1-ee66-7ed1-a8c3-0116c7521651",
      },
      "turns": [
        "interrupted: tick-1 tick-2 tick-3 
    0 + 0 tokens, null $, 1 steps",
        "completed: still alive
    1000 + 50 tokens, null $, 1 steps",
        "interrupted: 
    exec_command {"command":"touch q1; sleep 31","cwd":"/workspace/codex-acp-2"} error "Interrupted before a result was told"
    1000 + 50 tokens, null $, 1 steps",
        "interrupted: 
    exec_command {"command":"touch q2; sleep 32","cwd":"/workspace/codex-acp-2"} error "Interrupted before a result was told"
    1000 + 50 tokens, null $, 1 steps",
      ],
    }
  `)
})

it('understands codex-acp-03-load', async () => {
  expect(await replay('codex-acp-03-load')).toMatchInlineSnapshot(`
    {
      "facts": {
        "agentVersion": "2.6.0",
        "began": "loaded",
        "mode": "agent",
        "model": "gpt-5.5",
        "sessionRef": "01a1e0c1-d611-7932-bb45-901ef5d6b4c0",
        "title": "FAKE: sh echo hi > out.txt ;; text All done.",
      },
      "turns": [
        "completed: continued after load
    1000 + 50 tokens, null $, 1 steps",
      ],
    }
  `)
})

it('understands codex-acp-03b-resume', async () => {
  expect(await replay('codex-acp-03b-resume')).toMatchInlineSnapshot(`
    {
      "facts": {
        "agentVersion": "2.6.0",
        "began": "resumed",
        "mode": "agent",
        "model": "gpt-5.5",
        "sessionRef": "01a1e0c1-d611-7932-bb45-901ef5d6b4c0",
      },
      "turns": [
        "completed: continued after resume
    1000 + 50 tokens, null $, 1 steps",
      ],
    }
  `)
})

it('understands codex-acp-08-permission', async () => {
  expect(await replay('codex-acp-08-permission')).toMatchInlineSnapshot(`
    {
      "facts": {
        "agentVersion": "2.6.0",
        "began": "new",
        "mode": "read-only",
        "model": "gpt-5.5",
        "sessionRef": "01a1e0c4-4296-7340-aa0a-01dac90a38b7",
        "title": "FAKE: write /workspace/cxa8/a.txt hello ;; text ok",
      },
      "turns": [
        "completed: ok
    asked edit: /workspace/cxa8/a.txt
    edit {"title":"Editing files","diffs":[{"path":"/workspace/cxa8/a.txt","oldText":null,"newText":"hello\\n"}]} available ""
    diff /workspace/cxa8/a.txt
    2000 + 100 tokens, null $, 2 steps",
        "completed: ok
    asked execute: touch esc.txt
    execute {"command":"touch esc.txt","cwd":"/workspace/cxa8"} available ""
    2000 + 100 tokens, null $, 2 steps",
        "completed: 
    asked execute: touch esc2.txt
    execute {"command":"touch esc2.txt","cwd":"/workspace/cxa8"} denied ""
    1000 + 50 tokens, null $, 1 steps",
        "failed (bad thing): {"error":{"message":"bad thing","type":"invalid_request_error","code":"fake"}}


    0 + 0 tokens, null $, 1 steps",
        "failed (We’re currently experiencing high demand, which may cause temporary errors.): We’re currently experiencing high demand, which may cause temporary errors.


    notice Reconnecting... 1/1
    0 + 0 tokens, null $, 1 steps",
      ],
    }
  `)
})
