import type { AppState } from '#contract/host.ts'
import { ToolRefused } from '#lib/tool-refused.ts'
import { openApp } from './app.ts'
import type { App, AppAsked, AppHands } from './app.ts'

/** The app of a workspace, which may have none, and whose command and port may become others. */
export interface KeptApp {
  state(): AppState
  /** Rejects with ToolRefused when there is none that could be started. */
  act(action: 'start' | 'stop' | 'restart'): Promise<AppState>
}

const none: AppState = { state: 'none', command: null, port: null, pid: null, restarts: 0, said: '' }

export function keepApp(asked: () => AppAsked | null, hands: AppHands): KeptApp {
  let kept: { app: App; as: string } | undefined

  async function current(): Promise<App | undefined> {
    const wanted = asked()
    const as = JSON.stringify(wanted)
    if (kept && kept.as !== as) {
      const old = kept
      kept = undefined
      await old.app.stop()
    }
    if (wanted) kept ??= { app: openApp(wanted, hands), as }
    return kept?.app
  }

  return {
    state: () => kept?.app.state() ?? none,
    async act(action) {
      const app = await current()
      if (app) return app[action]()
      if (action === 'stop') return none
      throw new ToolRefused(
        'no_app',
        'This workspace has no app to start. Give one with the workspace, as `app`: {"command": …, "port": …}, or with its repository: `run` in signalbox.json',
      )
    },
  }
}
