import { InvalidArgumentError, Option } from 'commander'
import type { Command } from 'commander'
import { parseDuration } from '#lib/units.ts'
import type { AnswerOptions } from './answer.ts'
import type { AttachOptions } from './attach.ts'
import type { Connection } from './connection.ts'
import type { LogsOptions } from './logs.ts'
import type { RunOptions } from './run.ts'
import type { Screen } from './screen.ts'

const json = () => new Option('--json', 'Print JSON, for scripts')
const collect = (value: string, all: string[]) => [...all, value]
const connect = async (): Promise<Connection> => (await import('./connection.ts')).findConnection(process.env)

function duration(text: string): number {
  const ms = parseDuration(text)
  if (ms === undefined) throw new InvalidArgumentError('Write it like 30s, 5m or 1h.')
  return ms
}

/** Everything that is done with executions. The exit code of `run` and `wait` is the program's own. */
export function addExecutionCommands(program: Command, openScreen: () => Screen): void {
  program
    .command('run')
    .argument('[prompt]', 'what to do, in words')
    .description('Run an agent and follow what it writes')
    .requiredOption('--agent <name>', 'which agent, by name or id')
    .option('--capability <key>', 'what to ask it for; not needed where it can do only one thing')
    .option('--arg <name=value>', 'an argument; as often as needed', collect, [])
    .option('--args <json>', 'all arguments as one JSON object')
    .option('--task <id>', 'the task it works on')
    .option('--session <id>', 'go on in this session')
    .option('--confirm', 'yes to something dangerous, which otherwise waits for one')
    .option('-d, --detach', 'do not wait: print the id and end')
    .addOption(json())
    .addHelpText('after', exitCodes)
    .action(async (prompt: string | undefined, options: RunOptions) => {
      openScreen()
      const { run } = await import('./run.ts')
      process.exitCode = await run(await connect(), prompt, options)
    })

  program
    .command('logs')
    .argument('<id>', 'an execution, by as much of its id as ls shows')
    .description('Print what an execution has written')
    .option('-f, --follow', 'go on until it ends')
    .addOption(json())
    .action(async (id: string, options: LogsOptions) => {
      openScreen()
      const { logs } = await import('./logs.ts')
      await logs(await connect(), id, options)
    })

  program
    .command('stop')
    .argument('<id>', 'an execution')
    .description('Stop an execution and everything it started')
    .option('--wait', 'until it has ended')
    .addOption(json())
    .action(async (id: string, options: { wait?: boolean; json?: boolean }) => {
      const { stop } = await import('./stop.ts')
      await stop(await connect(), openScreen(), id, options)
    })

  program
    .command('wait')
    .argument('<id...>', 'one execution or several')
    .description('Wait until executions have ended')
    .addOption(new Option('--timeout <time>', 'give up after this long, for example 30s').argParser(duration))
    .addOption(json())
    .addHelpText('after', exitCodes)
    .action(async (ids: string[], { timeout, ...options }: { timeout?: number; json?: boolean }) => {
      const { wait } = await import('./wait-for-all.ts')
      const patience = timeout === undefined ? {} : { timeoutMs: timeout }
      process.exitCode = await wait(await connect(), openScreen(), ids, { ...options, ...patience })
    })

  program
    .command('send')
    .argument('<id>', 'an execution')
    .argument('<text>', 'what to tell its agent')
    .description('Send a message to an agent, and print the execution that takes it')
    .addOption(json())
    .action(async (id: string, text: string, options: { json?: boolean }) => {
      openScreen()
      const { send } = await import('./send.ts')
      await send(await connect(), id, text, options)
    })
}

/** A session on one's own screen. */
export function addTerminalCommands(program: Command): void {
  program
    .command('attach')
    .argument('<session>', 'a session, by as much of its id as ls sessions shows')
    .description('Show a session, or its shell, on this terminal; Ctrl-] leaves it, and it goes on')
    .option('--shell', 'the shell beside the agent')
    .option('--read-only', 'only look')
    .addHelpText('after', afterAttach)
    .action(async (wanted: string, options: AttachOptions) => {
      const { attach } = await import('./attach.ts')
      process.exitCode = await attach(await connect(), wanted, options)
    })
}

const afterAttach = `
Without --shell it is the agent: its own interface once somebody has taken the session over, and before that a log to
read. Every key goes to the program but Ctrl-], which leaves.`

/** What agents ask, and what is too dangerous to begin without a yes. */
export function addApprovalCommands(program: Command, openScreen: () => Screen): void {
  const answering = (command: Command, decision: 'granted' | 'refused') =>
    command
      .argument('<id>', 'an approval, by as much of its id as ls approvals shows')
      .option('--always', 'answer the same way from now on, without asking')
      .option('--reason <text>', 'what the agent is told with it')
      .addOption(json())
      .action(async (id: string, options: AnswerOptions) => {
        const { answer } = await import('./answer.ts')
        await answer(await connect(), openScreen(), id, decision, options)
      })
  answering(program.command('approve'), 'granted')
    .description('Say yes to what is asked')
    .option('--answer <key=value>', 'an answer to a question; as often as needed', collect, [])
  answering(program.command('deny'), 'refused').description('Say no to what is asked')
}

const exitCodes = `
The exit code is the program's own where it has one from 1 to 125; 130 when it was cancelled, 124 when its
time (or the time to wait) was up, 1 when it failed otherwise.`
