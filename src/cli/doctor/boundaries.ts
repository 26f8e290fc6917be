import type { DriverOnMachine } from '#contract/workspace.ts'
import { findProgram, firstLine } from './programs.ts'
import type { Finding, Probe } from './probe.ts'
import { runCommand } from './run-command.ts'

/** What can be put around a workspace. Both are tried for real: being installed says little about being allowed. */
export const boundaryProbes = (
  env: NodeJS.ProcessEnv,
  askDocker: () => Promise<DriverOnMachine>,
): Probe[] => [
  {
    name: 'Docker',
    purpose: 'workspaces in containers',
    required: false,
    look: async () => lookAtDocker(await askDocker(), findProgram('docker', env) !== undefined),
  },
  {
    name: 'bubblewrap',
    purpose: 'nothing an agent starts outlives it or reads our keys; workspaces in a sandbox',
    required: false,
    async look(signal) {
      const bwrap = findProgram('bwrap', env)
      if (!bwrap)
        return {
          verdict: 'missing',
          found: 'not found',
          advice: 'apt install bubblewrap; until then agents act as you, and can hide processes',
        }
      const sandbox = [
        '--unshare-all',
        '--new-session',
        '--die-with-parent',
        '--ro-bind',
        '/',
        '/',
        '--',
        'true',
      ]
      const { code, output } = await runCommand(bwrap, sandbox, signal)
      const version = firstLine((await runCommand(bwrap, ['--version'], signal)).output).replace(
        /^bubblewrap /,
        '',
      )
      if (code === 0) return { verdict: 'ok', found: version }
      const advice = 'allow unprivileged user namespaces; until then agents act as you'
      return { verdict: 'attention', found: `${version} is refused here: ${firstLine(output)}`, advice }
    },
  },
]

function lookAtDocker({ works, reason, lacks, version }: DriverOnMachine, isInstalled: boolean): Finding {
  if (!works && !isInstalled)
    return { verdict: 'missing', found: 'not found', advice: 'apt install docker.io' }
  if (!works) return { verdict: 'attention', found: 'no engine to work with', advice: reason ?? '' }
  const found = `engine ${version}`
  if (lacks.length === 0) return { verdict: 'ok', found }
  const names = lacks.map(({ what }) => what).join(', ')
  const advice = lacks.map(({ what, why }) => `${what}: ${why}`).join('; ')
  return { verdict: 'attention', found: `${found}, without ${names}`, advice }
}
