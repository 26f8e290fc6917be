import { join } from 'node:path'
import type { AgentPreset } from '#contract/agent.ts'
import { codexHome } from './login.ts'

/** A file that holds a login: where it is on this machine, and where the agent looks for it in a home of its own. */
export interface LoginFile {
  from: string
  to: string
}

/** The logins of the known agents, as whoever started us has them. */
export function loginFilesOf(key: AgentPreset, env: NodeJS.ProcessEnv): LoginFile[] {
  const home = env['HOME'] ?? '/'
  const known: Record<AgentPreset, LoginFile[]> = {
    claude: [
      {
        from: join(env['CLAUDE_CONFIG_DIR'] || join(home, '.claude'), '.credentials.json'),
        to: '.claude/.credentials.json',
      },
    ],
    codex: [
      {
        from: join(codexHome({ HOME: home, CODEX_HOME: env['CODEX_HOME'] ?? '' }), 'auth.json'),
        to: '.codex/auth.json',
      },
    ],
    gemini: ['oauth_creds.json', 'google_accounts.json'].map((name) => ({
      from: join(home, '.gemini', name),
      to: join('.gemini', name),
    })),
    opencode: [
      {
        from: join(env['XDG_DATA_HOME'] || join(home, '.local/share'), 'opencode/auth.json'),
        to: '.local/share/opencode/auth.json',
      },
    ],
    demo: [],
  }
  return known[key]
}
