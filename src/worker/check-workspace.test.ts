import { expect, test } from 'vitest'
import { openTestWorkspaces } from '../../test/support/workspaces-here.ts'
import { newId } from '#lib/id.ts'
import { checkWorkspace } from './check-workspace.ts'

test('a repository is one by its address, and by nothing that git would run', async () => {
  const here = await openTestWorkspaces()
  const check = (git: string) =>
    checkWorkspace(here, { id: newId(), driver: 'sandbox', root: null, source: { git } })
  for (const git of ['ext::sh -c true', 'fd::1', 'host:path', 'ssh://-oProxyCommand=x/y', 'ftp://host/repo'])
    await expect(check(git)).rejects.toMatchObject({
      code: 'does_not_fit',
      context: { fields: [{ field: 'source.git', reason: expect.stringContaining('https, ssh or file') }] },
    })
  for (const git of ['https://host/repo.git', 'ssh://git@host/repo.git', 'git@host.example:group/repo.git'])
    expect((await check(git)).name).toBe('repo')
})
