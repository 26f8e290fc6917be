import { InvalidArgumentError, Option } from 'commander'
import type { Command } from 'commander'
import { parseDuration, parseSize } from '#lib/units.ts'
import type { ExecOptions } from './exec.ts'

const BAD_USE = 2
const collect = (value: string, all: string[]) => [...all, value]

function duration(text: string): number {
  const ms = parseDuration(text)
  if (ms === undefined || ms < 1) throw new InvalidArgumentError('Write it like 30s or 5m.')
  return ms
}

function size(text: string): number {
  const bytes = parseSize(text)
  if (bytes === undefined || bytes < 1) throw new InvalidArgumentError('Write it like 64MB.')
  return bytes
}

/** Code that calls tools. */
export function addCodeCommands(program: Command): void {
  program
    .command('exec')
    .argument('<file>', 'TypeScript that calls tools; - reads it from stdin')
    .description('Run code that calls tools, and print its result')
    .option('--cap <word>', 'what it may reach, as mcp:github; as often as needed', collect, [])
    .option('--context <json>', 'what it finds as `context`: JSON, or @file')
    .addOption(new Option('--timeout <time>', 'how long it may take, as 30s').argParser(duration))
    .addOption(new Option('--memory <size>', 'how much memory it may use, as 64MB').argParser(size))
    .option('--session <id>', 'in the workspace of this session')
    .option('--js', 'it is JavaScript')
    .option('--no-check', 'do not check its types before it runs')
    .option('--confirm', 'yes beforehand to what would be asked about')
    .option('--json', 'Print the whole answer as JSON, for scripts')
    .addHelpText('after', examples)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : BAD_USE))
    .action(async (file: string, options: ExecOptions) => {
      const { findConnection } = await import('./connection.ts')
      const { exec } = await import('./exec.ts')
      process.exitCode = await exec(findConnection(process.env), file, options)
    })
}

const examples = `
What it logs goes to stderr as it happens, its result to stdout. When it waits for a person it says for what, and goes
on when somebody has answered. \`signalbox tools --types\` prints what it can call.

The exit code is 0 when it has run to its end, 1 when it failed, 2 when it was not asked for rightly, and 130 after
Ctrl-C, which cancels it.

Examples:
  signalbox exec report.ts --cap mcp:github --cap network:api.example.com
  echo 'return context.names.length' | signalbox exec - --context '{"names": ["a", "b"]}'`
