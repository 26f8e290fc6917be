import type { Agent } from '#contract/agent.ts'

type Shown = Pick<Agent, 'preset' | 'adapter' | 'binaryPath' | 'args'>

/** How the known agents are started for a person: on a session of theirs, or on a new one. */
const interfaces: Readonly<Record<string, { resume: (ref: string) => string[]; notFor: readonly string[] }>> =
  {
    claude: { resume: (ref) => ['--resume', ref], notFor: [] },
    codex: { resume: (ref) => ['resume', ref], notFor: ['app-server'] },
    gemini: { resume: (ref) => ['--resume', ref], notFor: ['--acp', '--experimental-acp'] },
    opencode: { resume: (ref) => ['--session', ref], notFor: ['acp'] },
  }

/** The arguments that open an agent's own interface; undefined for one that has none that is known. */
export function ownInterface(agent: Shown, sessionRef: string | null): string[] | undefined {
  const known = interfaces[nameOf(agent)]
  if (!known) return undefined
  const args = agent.args.filter((word) => !known.notFor.includes(word))
  return sessionRef === null ? args : [...args, ...known.resume(sessionRef)]
}

/** Of those that speak the same protocol, only the program's name tells which it is. */
function nameOf({ preset, adapter, binaryPath }: Shown): string {
  if (preset !== null) return preset
  return adapter === 'acp' ? (binaryPath?.split('/').at(-1) ?? '') : adapter
}
