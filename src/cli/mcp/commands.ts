import { Option } from 'commander'
import type { Command } from 'commander'
import type { ToolsListed } from '#contract/tool.ts'
import { placeOf, snippetClients } from './snippets.ts'
import type { SnippetClient } from './snippets.ts'

const listings = ['auto', 'all', 'search', 'code'] as const satisfies ToolsListed[]

interface McpOptions {
  print?: SnippetClient
  tools?: ToolsListed
}

export function addMcpCommand(program: Command): void {
  program
    .command('mcp')
    .description(
      'Speak MCP over stdin and stdout, for clients that start programs; or print how a client reaches Signalbox',
    )
    .addOption(
      new Option('--print <client>', 'Print what to write into the configuration of a client').choices([
        ...snippetClients,
      ]),
    )
    .addOption(
      new Option(
        '--tools <which>',
        'Which tools are listed: all; those to search with; those to write code with (auto: all, unless there are many)',
      ).choices(listings),
    )
    .action(async ({ print, tools }: McpOptions) => {
      if (print) return printSnippet(print, tools)
      const [{ pipeMcp }, { findConnection }] = await Promise.all([
        import('./pipe.ts'),
        import('../connection.ts'),
      ])
      const going = new AbortController()
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => going.abort())
      process.stdout.on('error', () => going.abort())
      going.signal.addEventListener('abort', () => process.stdin.destroy())
      await pipeMcp({
        connection: findConnection(process.env),
        ...(tools && { tools }),
        input: process.stdin,
        output: (line) => void process.stdout.write(`${line}\n`),
        log: (line) => void process.stderr.write(`${line}\n`),
        signal: going.signal,
      })
      process.exit(0)
    })
}

async function printSnippet(client: SnippetClient, tools?: ToolsListed): Promise<void> {
  const { snippetFor } = await import('./snippets.ts')
  process.stderr.write(`Into ${placeOf[client]}, with SIGNALBOX_TOKEN in its environment:\n`)
  process.stdout.write(snippetFor(client, process.env, tools))
}
