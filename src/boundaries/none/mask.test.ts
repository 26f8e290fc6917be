import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { shownAgain } from '#contract/keeper-protocol.ts'
import { openPipes } from '#host/pipes.ts'
import { startProgram } from '#host/start-program.ts'
import { openNone } from './open.ts'

test('our own files look empty to programs in folders, but for the worktrees that they work in', async (run) => {
  const home = mkdtempSync(join(tmpdir(), 'masked-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const worktree = join(home, 'worktrees', 'one')
  mkdirSync(worktree, { recursive: true })
  writeFileSync(join(home, 'token'), 'secret')
  writeFileSync(join(worktree, 'a.txt'), 'seen')
  const pipes = openPipes(home)
  const none = await openNone({
    start: (program, through) => startProgram(program, through, pipes),
    markName: 'SIGNALBOX_TEST_MARK',
    path: process.env['PATH'] ?? '',
    hidden: [home, shownAgain(join(home, 'worktrees'))],
    log: () => undefined,
  })
  if (none.isolation !== 'pid-namespace') run.skip('bubblewrap cannot be used here')
  const argv = ['-c', `cat a.txt; echo written > b.txt; ls ${home}; cat ${home}/token`]
  const program = await none.start(
    { file: '/bin/sh', argv, env: { PATH: '/usr/bin:/bin' }, cwd: worktree },
    'mask',
  )
  const [said, complained] = await Promise.all([text(program.stdout), text(program.stderr)])
  await program.exited
  expect(await program.end(0)).toBe(true)
  expect(said).toBe('seenworktrees\n')
  expect(complained).toContain('No such file')
})
