import type { Tool } from './tools.ts'

export interface Suite {
  /** Longer than this, and it is stopped. */
  minutes: number
  /** Without these it is skipped. */
  needs: readonly Tool[]
  /** How many random faults fit into its minutes; `--rounds` asks for more. */
  rounds?: number
}

/** The projects of vitest.config.ts, in the order in which `npm test` takes them. */
export const suites: Readonly<Record<string, Suite>> = {
  unit: { minutes: 25, needs: [] },
  system: { minutes: 20, needs: [] },
  workspaces: { minutes: 12, needs: [] },
  tools: { minutes: 12, needs: [] },
  browser: { minutes: 25, needs: ['chromium'] },
  agents: { minutes: 15, needs: [] },
  faults: { minutes: 15, needs: [], rounds: 30 },
}
