import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { onPath } from '#lib/on-path.ts'
import { probeSandbox } from './probe.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'probe-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const hasBubblewrap = onPath('bwrap', process.env['PATH'] ?? '') !== undefined

it('says what to install where there is no bubblewrap', async () => {
  const nothing = join(folder, 'nothing')
  mkdirSync(nothing)
  expect(await probeSandbox(nothing)).toMatchObject({
    works: false,
    reason: expect.stringMatching(/install/),
  })
})

it('believes no bubblewrap that is there and does nothing', async () => {
  const pretending = join(folder, 'pretending')
  mkdirSync(pretending)
  writeFileSync(
    join(pretending, 'bwrap'),
    '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2\nexit 1\n',
    {
      mode: 0o755,
    },
  )
  const setpriv = onPath('setpriv', process.env['PATH'] ?? '')
  if (setpriv) symlinkSync(setpriv, join(pretending, 'setpriv'))
  expect(await probeSandbox(pretending)).toMatchObject({
    works: false,
    reason: expect.stringMatching(/No permissions to create new namespace.*sysctl/),
  })
})

it.skipIf(!hasBubblewrap)('tells that it works, with what, and what is missing', async () => {
  const probed = await probeSandbox()
  expect(probed).toMatchObject({
    driver: 'sandbox',
    works: true,
    reason: null,
    version: expect.stringMatching(/bubblewrap/),
  })
  for (const { what, why } of probed.lacks) expect([what, why]).not.toContain('')
})
