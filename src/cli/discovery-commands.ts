import { Option } from 'commander'
import type { Command } from 'commander'
import type { ScanOptions } from './scan.ts'
import type { Screen } from './screen.ts'

/** Programs that are there, and could be agents. */
export function addDiscoveryCommands(program: Command, openScreen: () => Screen): void {
  program
    .command('scan')
    .description('Look for the programs on PATH, and list what there is')
    .option('--all', 'list all of them, not only the first')
    .option('--machine <id>', 'those of another machine')
    .addOption(new Option('--json', 'Print JSON, for scripts'))
    .addHelpText(
      'after',
      '\nNothing that is found can be run before somebody confirms it, on the page or with POST discovery/confirm.',
    )
    .action(async (options: ScanOptions) => {
      const { findConnection } = await import('./connection.ts')
      const { scan } = await import('./scan.ts')
      process.exitCode = await scan(findConnection(process.env), openScreen(), options)
    })
}
