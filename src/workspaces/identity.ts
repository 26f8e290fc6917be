import type { Git } from './git.ts'
import { gitOfOurs } from './git-environment.ts'
import { runTool } from './run.ts'

/** Who commits: the user, as git knows them, else Signalbox. */
export async function identityFor(git: Git, isInside: boolean): Promise<Record<string, string>> {
  const ask = async (name: string): Promise<string> => {
    const result = isInside
      ? await runTool({
          words: ['git', 'config', '--global', '--get', name],
          cwd: '/',
          env: gitOfOurs(),
          timeoutMs: 1e4,
          maxBytes: 1e4,
        })
      : await git.run(['config', '--get', name])
    return result.code === 0 ? result.stdout.toString('utf8').trim() : ''
  }
  const [name, email] = [await ask('user.name'), await ask('user.email')]
  const who = name && email ? { name, email } : { name: 'Signalbox', email: 'signalbox@localhost' }
  return {
    GIT_AUTHOR_NAME: who.name,
    GIT_AUTHOR_EMAIL: who.email,
    GIT_COMMITTER_NAME: who.name,
    GIT_COMMITTER_EMAIL: who.email,
  }
}
