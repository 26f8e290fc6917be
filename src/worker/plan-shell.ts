import { accessSync, constants } from 'node:fs'
import { isAbsolute } from 'node:path'
import { inside, insidePath, proxyVariables } from '#contract/host.ts'
import type { AskShell } from '#contract/keeper.ts'
import type { Database } from '#db/pool.ts'
import { environmentFor } from '#lib/environment.ts'
import { makeHome } from './inside-home.ts'
import { portVariables } from './port-variables.ts'
import type { Machine } from './presets.ts'
import { homeIdOf } from './ready-agent.ts'
import type { Prepared } from './ready-workspace.ts'

type Plan = Pick<AskShell, 'program' | 'argv' | 'env' | 'cwd'>

/** Images have what they have: bash where it is there, else what every one has. */
const bestShell = 'command -v bash >/dev/null 2>&1 && exec bash -l; exec sh -l'

/**
 * The shell of a workspace: in a folder a person's own, inside walls what is there. Its environment is built from nothing, and has none of
 * Signalbox's secrets; inside walls it is at home where the session's agent is.
 */
export async function planShell(
  db: Database,
  machine: Machine,
  { row, spec }: Prepared,
  sessionId: string | undefined,
): Promise<Plan> {
  if (spec.driver === 'folder') {
    const env = { ...environmentFor(machine.env, ['SHELL', 'LC_CTYPE']), ...portVariables(row) }
    return {
      program: shellOf(machine.env),
      argv: ['-l'],
      env: { ...env, SHELL: shellOf(machine.env) },
      cwd: spec.root,
    }
  }
  const homeId = sessionId === undefined ? row.id : await homeIdOf(db, sessionId)
  const env = {
    ...environmentOfMachine(machine.env),
    HOME: await makeHome(spec.homes, homeId, []),
    USER: 'agent',
    PATH: insidePath,
    TMPDIR: '/tmp',
    ...proxyVariables,
  }
  return { program: '/bin/sh', argv: ['-c', bestShell], env, cwd: inside.root }
}

const environmentOfMachine = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(['LANG', 'LC_ALL', 'TZ'].flatMap((name) => (env[name] ? [[name, env[name]]] : [])))

function shellOf({ SHELL }: NodeJS.ProcessEnv): string {
  return [SHELL ?? '', '/bin/bash'].find(canRun) ?? '/bin/sh'
}

function canRun(file: string): boolean {
  try {
    if (!isAbsolute(file)) return false
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
