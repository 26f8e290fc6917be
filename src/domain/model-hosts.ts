import type { AgentPreset } from '#contract/agent.ts'

/** Where each of the known agents talks to its models, and renews its login. */
const known: Record<AgentPreset, readonly string[]> = {
  claude: ['api.anthropic.com', 'platform.claude.com', 'console.anthropic.com'],
  codex: ['api.openai.com', 'chatgpt.com', 'auth.openai.com'],
  gemini: [
    'generativelanguage.googleapis.com',
    'cloudcode-pa.googleapis.com',
    'oauth2.googleapis.com',
    'accounts.google.com',
  ],
  opencode: [
    'opencode.ai',
    'models.dev',
    'api.anthropic.com',
    'api.openai.com',
    'generativelanguage.googleapis.com',
  ],
  demo: [],
}

/** What the egress `model` stands for: the hosts of these agents, and those that somebody has configured in their place. */
export function modelHostsOf(agents: Iterable<AgentPreset>, configured: readonly string[]): string[] {
  const hosts = [...agents].flatMap((key) => known[key])
  return [...new Set([...hosts, ...configured.flatMap(placeIn)])].toSorted()
}

/** With its port, which says that this very place is meant: it may be on this machine. */
function placeIn(url: string): string[] {
  if (!URL.canParse(url)) return []
  const { hostname, port, protocol } = new URL(url)
  return [`${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`]
}
