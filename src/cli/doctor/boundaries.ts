import { findProgram, firstLine } from './programs.ts'
import type { Probe } from './probe.ts'
import { runCommand } from './run-command.ts'

/** What can be put around a workspace. Both are tried for real: being installed says little about being allowed. */
export const boundaryProbes = (env: NodeJS.ProcessEnv): Probe[] => [
  {
    name: 'Docker',
    purpose: 'workspaces in containers',
    required: false,
    async look(signal) {
      const docker = findProgram('docker', env)
      if (!docker) return { verdict: 'missing', found: 'not found', advice: 'apt install docker.io' }
      const format = '{{.Client.Version}} {{.Server.Version}}'
      const { code, output } = await runCommand(docker, ['version', '--format', format], signal)
      const [client, engine] = output.trim().split(/\s+/)
      if (code === 0 && engine) return { verdict: 'ok', found: `${client}, engine ${engine}` }
      const advice = 'start the Docker engine, and let this user use it (group docker)'
      return { verdict: 'attention', found: 'the client is there, the engine does not answer', advice }
    },
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
