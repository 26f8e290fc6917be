import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { DriverOnMachine } from '#contract/workspace.ts'
import { makeRepository, openFiles, refusalOf, tempFolder } from '../../test/support/workspace-files.ts'
import { openDrivers } from './drivers.ts'
import { portsFor } from './ports.ts'
import { readSettings } from './repository-settings.ts'
import { slugOf } from './slug.ts'

describe('ports', () => {
  it('are ten of 8000–8099, the same for the same workspace, and nobody else has one of them', () => {
    const ranges = Array.from({ length: 12 }).reduce<number[]>((taken, _, at) => {
      const { first, count } = portsFor(`workspace-${at}`, taken)
      expect(count).toBe(10)
      return [...taken, first]
    }, [])
    expect(new Set(ranges).size).toBe(12)
    expect(ranges.slice(0, 10).toSorted()).toEqual([
      8000, 8010, 8020, 8030, 8040, 8050, 8060, 8070, 8080, 8090,
    ])
    expect(ranges.slice(10)).toEqual([8100, 8110])
    expect(portsFor('one', [])).toEqual(portsFor('one', []))
    const { first } = portsFor('one', [])
    expect(portsFor('one', [first + 7]).first).not.toBe(first)
  })
})

describe('signalbox.json', () => {
  it.each([
    ['{\n "setup": "a",\n "setup": "b"}', 'line 3: setup: is there twice.'],
    ['[]', 'it must be an object.'],
    ['{"run": "npm start"}', 'run is not used'],
    ['{"run": {"command": "x", "port": 80}}', 'run is not used'],
    ['{"setup": [1]}', 'setup is not used'],
    ['{"steup": "x"}', 'nothing is known of steup.'],
  ])('tells what does not fit: %s', (text, reason) => {
    const { settings, remarks } = readSettings(text)
    expect(settings).toEqual({ setup: null, teardown: null, app: null })
    expect(remarks).toEqual([expect.stringContaining(reason)])
  })
})

it('makes names of titles', () => {
  expect(
    ['Füge Ünïcode hinzu', '../..', 'a'.repeat(99), '-x-', '修正'].map((title) => slugOf(title)),
  ).toEqual(['fu-ge-u-ni-code-hinzu', 'work', 'a'.repeat(40), 'x', 'work'])
})

describe('drivers', () => {
  it('are tried once a minute, or when asked to, and one that cannot be tried does not work', async () => {
    let tries = 0
    const { workspaces } = openFiles({
      drivers: {
        sandbox: async () => {
          tries += 1
          return { driver: 'sandbox', works: true, reason: null, lacks: [], version: '1' }
        },
        docker: () => Promise.reject(new Error('no engine')),
      },
    })
    const [first] = await Promise.all([workspaces.drivers(), workspaces.drivers()])
    expect(first.map(({ works }) => works)).toEqual([true, true, false])
    expect(first[2]?.reason).toBe('It could not be tried: no engine')
    await workspaces.drivers()
    expect(tries).toBe(1)
    await workspaces.drivers(true)
    expect(tries).toBe(2)
  })

  it('do not wait for one that hangs, which is said not to work', async () => {
    const sandbox: DriverOnMachine = { driver: 'sandbox', works: true, reason: null, lacks: [], version: '1' }
    const hangs = () => new Promise<never>(() => undefined)
    const patient = openDrivers({ sandbox: async () => sandbox, docker: hangs })
    expect(await patient.one('sandbox')).toEqual(sandbox)
    const hasty = openDrivers({ sandbox: async () => sandbox, docker: hangs }, 50)
    expect((await hasty.all()).map(({ works }) => works)).toEqual([true, true, false])
    expect((await hasty.one('docker')).reason).toContain('nothing had come of it after 0.05 s')
  })
})

it('measures blocks, hard links once, and follows no link', async () => {
  const { workspaces } = openFiles()
  const folder = tempFolder()
  writeFileSync(join(folder, 'large'), Buffer.alloc(4_000_000, 1))
  linkSync(join(folder, 'large'), join(folder, 'same'))
  symlinkSync('/usr', join(folder, 'usr'))
  const bytes = await workspaces.diskBytes(folder)
  expect(bytes).toBeGreaterThan(3_900_000)
  expect(bytes).toBeLessThan(5_000_000)
  await expect(workspaces.diskBytes(join(folder, 'none'))).rejects.toThrow('Its size cannot be told')
})

describe('orphans', () => {
  it('are what nobody knows of, and nothing else is removed', async () => {
    const { home, workspaces } = openFiles()
    const repository = makeRepository()
    await workspaces.bring('known', null)
    await workspaces.bring('unknown', null)
    await workspaces.bring('trashed', null)
    const { root: trashed } = workspaces.placeOf('trashed')
    await workspaces.trash({ workspaceId: 'trashed', root: trashed, repository: null, branch: null })
    const one = await workspaces.addWorktree({ repository, workspaceId: 'one', slug: 'one' })
    const two = await workspaces.addWorktree({ repository, workspaceId: 'two', slug: 'two' })
    mkdirSync(join(home, 'drafts/draft-left'))
    const known = { workspaceIds: ['known', 'one'], snapshots: [] }
    const found = await workspaces.orphans(known)
    expect(found.map(({ kind, path }) => [kind, path]).toSorted()).toEqual([
      ['snapshot', join(home, 'trash/trashed')],
      ['workspace', join(home, 'drafts/draft-left')],
      ['workspace', join(home, 'workspaces/unknown')],
      ['worktree', two.root],
    ])
    expect(
      await workspaces.orphans({
        workspaceIds: ['known', 'one', 'two', 'unknown', 'trashed'],
        snapshots: [],
      }),
    ).toEqual([expect.objectContaining({ path: join(home, 'drafts/draft-left') })])
    for (const orphan of found) await workspaces.removeOrphan(orphan)
    expect(await workspaces.orphans(known)).toEqual([])
    expect((await workspaces.diff(one.root, null)).files).toEqual([])
    for (const path of [repository, home, '/', join(home, 'worktrees'), one.root.replace(/[^/]+$/, '')])
      for (const kind of ['workspace', 'worktree', 'snapshot'] as const)
        expect(await refusalOf(workspaces.removeOrphan({ kind, path, bytes: 0 }))).toMatchObject({
          code: 'does_not_fit',
        })
  })
})
