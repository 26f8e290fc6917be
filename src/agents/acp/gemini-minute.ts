import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

const minuteMs = 60_000
const marginMs = 100

/**
 * Gemini CLI (0.61) names the file of a session by the minute and begins it anew when it loads: within the minute in which the
 * session began that is the same file, and all of the session is gone. So it is asked to load when the minute is over.
 */
export async function untilItCanLoad(
  env: Readonly<Record<string, string>>,
  sessionRef: string,
): Promise<number> {
  const tmp = join(env['GEMINI_CLI_HOME'] ?? env['HOME'] ?? '/', '.gemini/tmp')
  const files: string[] = []
  for (const project of await readdir(tmp).catch(() => []))
    files.push(...(await readdir(join(tmp, project, 'chats')).catch(() => [])))
  return msToWait(files, sessionRef, new Date())
}

/** 0 when no file of this session has the name that a new one would get now. */
export function msToWait(files: string[], sessionRef: string, now: Date): number {
  const minute = now.toISOString().slice(0, 16).replaceAll(':', '-')
  const name = `session-${minute}-${sessionRef.slice(0, 8)}.jsonl`
  return files.includes(name) ? minuteMs - (now.getTime() % minuteMs) + marginMs : 0
}
