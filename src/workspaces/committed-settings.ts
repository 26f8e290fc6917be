import type { Git } from './git.ts'
import type { RepositorySettings } from './port.ts'
import { noSettings, readSettings, settingsFile } from './repository-settings.ts'

const most = 256 * 1024

/** What the repository says of itself at a commit. */
export async function committedSettings(
  git: Git,
  commit: string,
): Promise<{ settings: RepositorySettings; remarks: string[] }> {
  const found = await git.run(['cat-file', 'blob', `${commit}:${settingsFile}`], { maxBytes: most })
  if (found.isCut) return { settings: noSettings, remarks: [`${settingsFile} is not used: it is too long.`] }
  if (found.code !== 0) return { settings: noSettings, remarks: [] }
  return readSettings(found.stdout.toString('utf8'))
}
