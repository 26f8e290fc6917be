import { Argument, Option } from 'commander'
import type { Command } from 'commander'
import { ImportFrom } from '#contract/source.ts'
import type { Connection } from './connection.ts'
import type { Screen } from './screen.ts'
import type { AddOptions } from './add-source.ts'
import type { CallOptions } from './call-tool.ts'
import type { ToolListOptions } from './list-tools.ts'

const json = () => new Option('--json', 'Print JSON, for scripts')
const collect = (value: string, all: string[]) => [...all, value]
const connect = async (): Promise<Connection> => (await import('./connection.ts')).findConnection(process.env)

/** Tools, and where they come from. */
export function addToolCommands(program: Command, openScreen: () => Screen): void {
  const tools = program
    .command('tools')
    .description('List tools, call them, and say where they come from')
    .addHelpText('after', examples)

  tools
    .command('ls', { isDefault: true })
    .description('List the tools that you may call')
    .option('--source <name>', 'only those of this source')
    .option('--q <text>', 'the ones that fit best')
    .option('--types [namespace]', 'print what code can call instead, as TypeScript')
    .addOption(json())
    .action(async ({ types, ...options }: ToolListOptions & { types?: string | true }) => {
      if (types !== undefined) {
        const { printTypes } = await import('./tool-types.ts')
        return printTypes(await connect(), types === true ? undefined : types, options)
      }
      const { listTools } = await import('./list-tools.ts')
      await listTools(await connect(), openScreen(), options)
    })

  tools
    .command('call')
    .argument('<name>', 'a tool, as github.create_issue')
    .argument('[args]', 'its arguments, as a JSON object')
    .description('Call a tool and print what it answers')
    .option('--arg <name=value>', 'one argument; as often as needed', collect, [])
    .option('--session <id>', 'in the workspace of this session')
    .option('--confirm', 'also when its definition has changed')
    .addOption(json())
    .addHelpText('after', '\nThe exit code is 1 when the tool says that it failed.')
    .action(async (name: string, args: string | undefined, options: CallOptions) => {
      const { callTool } = await import('./call-tool.ts')
      process.exitCode = await callTool(await connect(), openScreen(), name, args, options)
    })

  tools
    .command('accept')
    .argument('<name>', 'a tool, as github.create_issue')
    .description('Accept the definition of a tool as it is now, after its source has changed it')
    .addOption(json())
    .action(async (name: string, options: { json?: boolean }) => {
      const { acceptTool } = await import('./list-tools.ts')
      await acceptTool(await connect(), openScreen(), name, options)
    })

  tools
    .command('add')
    .argument('<name>', 'how it is to be called')
    .argument('[command...]', 'the program of an MCP server and its arguments, after --')
    .description('Register a source of tools')
    .option('--url <address>', 'the address of an MCP server, or of an OpenAPI document')
    .option('--transport <kind>', 'http (usual for an address), sse, websocket, openapi or langchain')
    .option('--document <file>', 'an OpenAPI document')
    .option('--module <file>', 'a module that exports LangChain tools')
    .option('--env <name=value>', 'a variable of the program; as often as needed', collect, [])
    .option('--header <name=value>', 'a header of every request; as often as needed', collect, [])
    .option('--cwd <folder>', 'where the program is started')
    .addOption(json())
    .action(async (name: string, command: string[], options: AddOptions) => {
      const { addSource } = await import('./add-source.ts')
      await addSource(await connect(), openScreen(), name, command, options)
    })

  tools
    .command('rm')
    .argument('<name>', 'a source')
    .description('Remove a source, with its program and its secrets')
    .addOption(json())
    .action(async (name: string, options: { json?: boolean }) => {
      const { removeSource } = await import('./add-source.ts')
      await removeSource(await connect(), openScreen(), name, options)
    })

  tools
    .command('health')
    .description('Say how the sources are')
    .addOption(json())
    .addHelpText('after', '\nThe exit code is 1 while one of them is not well.')
    .action(async (options: { json?: boolean }) => {
      const { showHealth } = await import('./source-health.ts')
      process.exitCode = await showHealth(await connect(), openScreen(), options)
    })

  tools
    .command('import')
    .addArgument(new Argument('<from>', 'whose configuration').choices(ImportFrom.options))
    .argument('[names...]', 'only these servers')
    .description('Take the MCP servers that another program on the machine knows')
    .option('--dry-run', 'only tell what would be taken')
    .addOption(json())
    .action(async (from: ImportFrom, names: string[], options: { dryRun?: boolean; json?: boolean }) => {
      const { importSources } = await import('./import-sources.ts')
      await importSources(await connect(), openScreen(), from, names, options)
    })
}

const examples = `
Examples:
  signalbox tools                                          List all tools
  signalbox tools add files -- npx -y @modelcontextprotocol/server-filesystem ~/notes
                                                           Register an MCP server
  signalbox tools add api --url https://example.com/mcp --header 'Authorization=Bearer \${API_TOKEN}'
  signalbox tools call files.read_text_file '{"path": "todo.md"}'
  signalbox tools import claude --dry-run                  See what Claude knows
  signalbox tools --types > signalbox.d.ts                 What code can call, for an editor`
