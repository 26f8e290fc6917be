// @utcp/code-mode: `callToolChain`, which makes an isolate of isolated-vm for each run. The tool is a function in the same process,
// by the makers' own plugin for such functions. Its calls are synchronous inside: the isolate's thread stands still meanwhile.
import { echo, enter } from '../contest.ts'

interface CodeModeClient {
  registerManual(template: object): Promise<{ success: boolean; errors: string[] }>
  callToolChain(
    code: string,
    timeoutMs: number,
    memoryMb: number,
  ): Promise<{ result: unknown; logs: string[] }>
}

interface Packages {
  codeMode: { CodeModeUtcpClient: { create(): Promise<CodeModeClient> } }
  directCall: { addFunctionToUtcpDirectCall(name: string, work: (...given: never[]) => unknown): void }
}

await enter(async () => {
  const [codeMode, directCall] = (await Promise.all([
    import(process.argv[2]!),
    import(process.argv[3]!),
  ])) as [Packages['codeMode'], Packages['directCall']]
  directCall.addFunctionToUtcpDirectCall('tools', () => ({
    utcp_version: '1.0.0',
    manual_version: '1.0.0',
    tools: [
      {
        name: 'echo',
        description: 'Says it again',
        inputs: { type: 'object', properties: { given: { type: 'object' } } },
        outputs: { type: 'object', properties: {} },
        tags: [],
        tool_call_template: { call_template_type: 'direct-call', callable_name: 'echo' },
      },
    ],
  }))
  directCall.addFunctionToUtcpDirectCall('echo', (given: unknown) => echo(given))
  const client = await codeMode.CodeModeUtcpClient.create()
  const { success, errors } = await client.registerManual({
    name: 'bench',
    call_template_type: 'direct-call',
    callable_name: 'tools',
  })
  if (!success) throw new Error(errors.join('\n'))
  return {
    tool: 'tool',
    async run(code) {
      const whole = `const tool = (given) => bench.echo({ given });\n${code}`
      const { result, logs } = await client.callToolChain(whole, 30_000, 64)
      if (logs.length > 0) throw new Error(logs.join('\n'))
      return result
    },
    resident: () => process.memoryUsage.rss(),
  }
})
