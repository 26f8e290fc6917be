import { readFileSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { Argument, Command, Option } from 'commander'
import { addCodeCommands } from '#cli/code-commands.ts'
import { addDiscoveryCommands } from '#cli/discovery-commands.ts'
import { addApprovalCommands, addExecutionCommands, addTerminalCommands } from '#cli/execution-commands.ts'
import { Failure } from '#cli/failure.ts'
import { addMcpCommand } from '#cli/mcp/commands.ts'
import type { PruneOptions } from '#cli/prune.ts'
import { screenOf } from '#cli/screen.ts'
import { addModelCommands } from '#cli/model-commands.ts'
import { addToolCommands } from '#cli/tool-commands.ts'
import type { ListOptions } from '#cli/show-list.ts'
import { ConfigError } from '#config/config-error.ts'
import { compileCache } from './compile-cache.ts'
import { pathWithoutNpm } from './npm-path.ts'

enableCompileCache(compileCache)
process.env['PATH'] = pathWithoutNpm(process.env)

// The `signalbox` command. Each part is loaded only when it is asked for: `ls` must not wait for the supervisor's code.

const { version }: { version: string } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
)

/** For commands that only print: `signalbox ls | head` ends quietly once whoever reads has read enough. */
function openScreen() {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  return screenOf(process.stdout, process.env)
}

const program = new Command('signalbox')
  .description('A control room for AI agents that work on code.')
  .version(version, '-v, --version', 'Print the version')
  .helpOption('-h, --help', 'Show help')
  .helpCommand('help [command]', 'Show help for a command')
  .showHelpAfterError('(signalbox --help lists the commands)')
  .addHelpText(
    'after',
    `
Examples:
  signalbox up                      Start everything and print the address to open
  signalbox doctor                  See what is missing on this machine, and how to get it
  signalbox ls tasks --status todo  List what is to be done
  signalbox ls tasks --json | jq .  The same for scripts
  signalbox run "fix the tests" --agent claude
                                    Run an agent and follow what it writes
  signalbox logs -f ID              Follow it again, from anywhere

Commands that talk to a running Signalbox find it in SIGNALBOX_HOME (~/.signalbox), or
at SIGNALBOX_URL with SIGNALBOX_TOKEN.`,
  )

const json = () => new Option('--json', 'Print JSON, for scripts')

program
  .command('up')
  .description('Start everything and keep it running, until Ctrl-C')
  .addHelpText('after', '\nOnce it serves it prints one line with the address to open.')
  .action(async () => {
    const { loadConfig } = await import('#config/config.ts')
    const config = loadConfig({ env: process.env, cwd: process.cwd() })
    const { up } = await import('./up.ts')
    process.exit(await up(config))
  })

program
  .command('web')
  .description('Run only the UI and the API (needs DATABASE_URL)')
  .action(async () => void (await import('./web.ts')))

program
  .command('worker')
  .description('Run only the worker of this machine (needs DATABASE_URL)')
  .addHelpText('after', '\nStopping it leaves agents running; the next worker of this home takes them up.')
  .action(async () => void (await import('./worker.ts')))

program
  .command('terminal')
  .description('Run only the terminal of this machine, beside its worker (needs DATABASE_URL)')
  .addHelpText(
    'after',
    '\nStopping it ends nothing that runs in a terminal; whoever looked at one comes back.',
  )
  .action(async () => void (await import('./terminal.ts')))

program
  .command('agent')
  .description('Run the bridge: one agent behind /chat, for clients of the AI SDK')
  .addHelpText(
    'after',
    `
AGENT_COMMAND names the agent (claude-agent-acp), AGENT_ARGS its arguments, AGENT_CWD its folder; PORT is 3002.
AGENT_PERMISSIONS (ask, reads, all, deny) says how its questions are answered. Without AGENT_TOKEN only this
machine can be served.`,
  )
  .action(async () => void (await import('./agent.ts')))

program
  .command('doctor')
  .description('Look for everything Signalbox needs or can use on this machine')
  .addOption(json())
  .addHelpText('after', '\nThe exit code is 0 when everything required is there, and 1 otherwise.')
  .action(async (options: { json?: boolean }) => {
    const { doctor } = await import('./doctor.ts')
    process.exit(await doctor(openScreen(), process.env, options))
  })

const lists = {
  tasks: async () => (await import('#cli/list.ts')).listTasks,
  executions: async () => (await import('#cli/list-executions.ts')).listExecutions,
  sessions: async () => (await import('#cli/list-executions.ts')).listSessions,
  approvals: async () => (await import('#cli/list-approvals.ts')).listApprovals,
  agents: async () => (await import('#cli/list.ts')).listAgents,
  workspaces: async () => (await import('#cli/list-workspaces.ts')).listWorkspaces,
}

program
  .command('ls')
  .description('List tasks, executions, sessions, approvals, agents or workspaces')
  .addArgument(new Argument('[what]', 'what to list').choices(Object.keys(lists)).default('tasks'))
  .option('--status <status>', 'only tasks, executions or approvals with this status')
  .option('--q <text>', 'only tasks that contain this text')
  .option('--agent <name>', 'only executions or sessions of this agent')
  .option('--task <id>', 'only executions or sessions of this task')
  .addOption(json())
  .action(async (what: keyof typeof lists, options: ListOptions) => {
    const { findConnection } = await import('#cli/connection.ts')
    const list = await lists[what]()
    await list(() => findConnection(process.env), openScreen(), options)
  })

program
  .command('prune')
  .description('Remove files that crashes have left behind and that belong to no workspace')
  .option('--dry-run', 'only tell what it would be')
  .option('--yes', 'do not ask')
  .addOption(json())
  .action(async (options: PruneOptions) => {
    const { findConnection } = await import('#cli/connection.ts')
    const { prune } = await import('#cli/prune.ts')
    await prune(findConnection(process.env), openScreen(), options)
  })

addExecutionCommands(program, openScreen)
addApprovalCommands(program, openScreen)
addTerminalCommands(program)
addToolCommands(program, openScreen)
addModelCommands(program, openScreen)
addDiscoveryCommands(program, openScreen)
addCodeCommands(program)
addMcpCommand(program)

try {
  await program.parseAsync()
} catch (error) {
  if (!(error instanceof Failure) && !(error instanceof ConfigError)) throw error
  const asJson = process.argv.includes('--json')
  process.stderr.write(asJson ? `${JSON.stringify({ error: refusalOf(error) })}\n` : `${error.message}\n`)
  process.exitCode = error.exitCode
}

function refusalOf(error: Failure | ConfigError): object {
  return (error instanceof Failure && error.refusal) || { message: error.message }
}
