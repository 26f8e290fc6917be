import { Option } from 'commander'
import type { Command } from 'commander'
import type { ModelListOptions } from './list-models.ts'
import type { Screen } from './screen.ts'

/** Models that can be talked to. */
export function addModelCommands(program: Command, openScreen: () => Screen): void {
  program
    .command('models')
    .description('List the models that can be talked to, and say what is missing where none can')
    .option('--fresh', 'ask the providers again, instead of telling what they said a moment ago')
    .option('--machine <id>', 'those that this machine has keys for')
    .addOption(new Option('--json', 'Print JSON, for scripts'))
    .addHelpText('after', '\nThe exit code is 1 when there is no model at all.')
    .action(async (options: ModelListOptions) => {
      const { findConnection } = await import('./connection.ts')
      const { listModels } = await import('./list-models.ts')
      process.exitCode = await listModels(findConnection(process.env), openScreen(), options)
    })
}
