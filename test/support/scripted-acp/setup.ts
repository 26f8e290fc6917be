import { readFileSync } from 'node:fs'

export interface Setup {
  /** What it calls itself: some names bring quirks with them. */
  name: string
  /** load, resume, fork, image, http: what it says it can. */
  can: string[]
  /** Every line that it receives is added to this file. */
  record: string | undefined
  /** Where its sessions are kept, so that another process can take them up. */
  store: string | undefined
  /** It is not logged in. */
  needsLogin: boolean
  diesAtStart: boolean
  /** It never answers `initialize`. */
  isMute: boolean
  /** It goes on after the end of its input, and after SIGTERM. */
  ignoresEnd: boolean
  /** The history of a loaded session comes after the answer. */
  replaysLate: boolean
  /** Its modes and models are config options. */
  hasOptions: boolean
  /** What it does when it is asked for exactly this, so that what it is asked for can be what a person would write. */
  plays: Readonly<Record<string, string>>
}

/** What a test sets, and what it means. */
export function readSetup(env: NodeJS.ProcessEnv): Setup {
  return {
    name: env['SCRIPTED_NAME'] ?? 'scripted',
    can: (env['SCRIPTED_CAN'] ?? 'load resume fork image http').split(' '),
    record: env['SCRIPTED_RECORD'],
    store: env['SCRIPTED_STORE'],
    needsLogin: env['SCRIPTED_NEEDS_LOGIN'] === '1',
    diesAtStart: env['SCRIPTED_DIES_AT_START'] === '1',
    isMute: env['SCRIPTED_IS_MUTE'] === '1',
    ignoresEnd: env['SCRIPTED_IGNORES_END'] === '1',
    replaysLate: env['SCRIPTED_REPLAYS_LATE'] === '1',
    hasOptions: env['SCRIPTED_HAS_OPTIONS'] === '1',
    plays: env['SCRIPTED_PLAYS']
      ? (JSON.parse(readFileSync(env['SCRIPTED_PLAYS'], 'utf8')) as Setup['plays'])
      : {},
  }
}
