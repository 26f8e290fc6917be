import { execFile } from 'node:child_process'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { makeMachine } from '../../../test/support/discovery/made-machine.ts'
import type { MadeMachine } from '../../../test/support/discovery/made-machine.ts'
import { onPath } from '#lib/on-path.ts'
import { placesUnder } from '../places.ts'
import { scan } from '../scan.ts'
import { openIdentify } from './identify.ts'
import { openRpm } from './rpm.ts'

const run = promisify(execFile)

/** What rpm 4.18 says of two packages, recorded. */
const recorded = `P\tempty-one\t0.1-1\tNo files at all
P\tfrobnicator\t2:1.4.2-3.fc40\tFrobnicates things
D\t/usr/bin/
D\t/usr/sbin/
D\t/usr/share/doc/frob/
F\t0\tfrob
F\t1\tfrobd
F\t2\tread me
`

async function filesOf(machine: MadeMachine) {
  const { files } = await scan(machine.folders, {})
  // The program that is asked is on the machine, too.
  return files.filter(({ name }) => name !== 'rpm')
}

async function ownersOf(machine: MadeMachine, find = openIdentify(placesUnder(machine.root, machine.home))) {
  const files = await filesOf(machine)
  const owners = await find(files)
  return Object.fromEntries(
    files.map(({ name, path }) => {
      const owner = owners.get(path)
      return [name, owner && [owner.source, owner.package, owner.version, owner.description]]
    }),
  )
}

const owner = ['rpm', 'frobnicator', '2:1.4.2-3.fc40', 'Frobnicates things']

/** A machine on which rpm says this, and writes down that it was asked. */
async function withRpm(says: string): Promise<MadeMachine> {
  const machine = await makeMachine()
  for (const path of ['usr/bin/frob', 'usr/sbin/frobd', 'usr/bin/mine']) await machine.putProgram(path)
  await machine.put('var/lib/rpm/rpmdb.sqlite', 'not read by anybody but rpm')
  await machine.put('said', says)
  await machine.putProgram(
    'usr/bin/rpm',
    `#!/bin/sh\necho asked >> ${machine.root}/asked\ncat ${machine.root}/said\n`,
  )
  return machine
}
const timesAsked = async (machine: MadeMachine) =>
  (await readFile(join(machine.root, 'asked'), 'utf8').catch(() => '')).split('\n').length - 1

test('rpm is asked once for all files, and again when something was installed', async () => {
  await using machine = await withRpm(recorded)
  const identify = openIdentify(placesUnder(machine.root, machine.home))
  const expected = { frob: owner, frobd: owner, mine: undefined }
  expect(await ownersOf(machine, identify)).toEqual(expected)
  expect(await ownersOf(machine, identify)).toEqual(expected)
  expect(await timesAsked(machine)).toBe(1)
  await machine.put('said', `${recorded}P\tmine\t3-1\tOurs\nD\t/usr/bin/\nF\t0\tmine\n`)
  await machine.put('var/lib/rpm/rpmdb.sqlite', 'changed')
  expect(await ownersOf(machine, identify)).toEqual({ ...expected, mine: ['rpm', 'mine', '3-1', 'Ours'] })
  expect(await timesAsked(machine)).toBe(2)
})

test('files are found where folders were merged', async () => {
  await using machine = await withRpm('P\told\t1-1\tOld\nD\t/bin/\nF\t0\tfrob\n')
  await machine.link('bin', 'usr/bin')
  expect(await ownersOf(machine)).toMatchObject({ frob: ['rpm', 'old', '1-1', 'Old'] })
})

test('rpm is not run where it has no database', async () => {
  await using machine = await withRpm(recorded)
  await run('rm', ['-r', join(machine.root, 'var/lib/rpm')])
  expect(await ownersOf(machine)).toMatchObject({ frob: undefined })
  expect(await timesAsked(machine)).toBe(0)
})

test.each([
  ['hangs', 'cat SAID; sleep 4747.1'],
  ['fails', 'cat SAID; exit 1'],
  ['floods', 'exec head -c 300000000 /dev/zero'],
  ['says something else', 'echo "error: cannot open Packages database"'],
  ['says half of it', String.raw`printf 'F\t0\tfrob\nP\n\tD\nF\t99\tfrob\nF\tx\tfrob'`],
])('one that %s is not waited for, and is asked again the next time', async (_, script) => {
  await using machine = await withRpm(recorded)
  await machine.putProgram('usr/bin/rpm', `#!/bin/sh\n${script.replace('SAID', `${machine.root}/said`)}\n`)
  const find = openRpm(placesUnder(machine.root, machine.home), 1_000)
  const began = Date.now()
  expect(await ownersOf(machine, find)).toEqual({ frob: undefined, frobd: undefined, mine: undefined })
  expect(Date.now() - began).toBeLessThan(5_000)
  await machine.putProgram('usr/bin/rpm', `#!/bin/sh\ncat ${machine.root}/said\n`)
  expect(await ownersOf(machine, find)).toMatchObject({ frob: owner })
})

const real = ['rpm', 'rpmbuild'].map((name) => onPath(name, process.env['PATH'] ?? ''))

test.skipIf(real.includes(undefined))('the real rpm says it like that', async () => {
  await using machine = await makeMachine()
  for (const path of ['usr/bin/frob', 'usr/sbin/frobd', 'usr/bin/mine']) await machine.putProgram(path)
  const spec = await machine.put(
    'frob.spec',
    `Name: frobnicator
Epoch: 2
Version: 1.4.2
Release: 3.fc40
Summary: Frobnicates things
License: MIT
BuildArch: noarch
%description
It does.
%install
mkdir -p %{buildroot}/usr/bin %{buildroot}/usr/sbin
touch %{buildroot}/usr/bin/frob %{buildroot}/usr/sbin/frobd
%files
/usr/bin/frob
/usr/sbin/frobd
`,
  )
  const top = join(machine.root, 'top')
  await run('rpmbuild', ['-bb', '--define', `_topdir ${top}`, spec])
  const database = join(machine.root, 'var/lib/rpm')
  await mkdir(database, { recursive: true })
  const built = join(top, 'RPMS/noarch/frobnicator-1.4.2-3.fc40.noarch.rpm')
  await run('rpm', ['--dbpath', database, '-i', '--justdb', '--nodeps', built])
  await machine.link('usr/bin/rpm', real[0]!)
  expect(await ownersOf(machine)).toEqual({ frob: owner, frobd: owner, mine: undefined })
})
