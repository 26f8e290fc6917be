import { existsSync } from 'node:fs'
import { appendFile, copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeMachine } from '../../../test/support/discovery/made-machine.ts'
import type { MadeMachine } from '../../../test/support/discovery/made-machine.ts'
import { placesUnder } from '../places.ts'
import { scan } from '../scan.ts'
import { openIdentify } from './identify.ts'

/** Who owns what, by name: `[source, package, version, description]`. */
async function ownersOf(
  machine: MadeMachine,
  folders: readonly string[],
  identify = openIdentify(placesUnder(machine.root, machine.home)),
) {
  const { files } = await scan(
    folders.map((folder) => join(machine.root, folder)),
    {},
  )
  const owners = await identify(files)
  return Object.fromEntries(
    files.map(({ name, path }) => {
      const owner = owners.get(path)
      return [name, owner && [owner.source, owner.package, owner.version, owner.description]]
    }),
  )
}

const stanza = (name: string, version: string, description: string) =>
  `Package: ${name}\nStatus: install ok installed\nArchitecture: amd64\nVersion: ${version}\nDescription: ${description}\n and more of it\n\n`

test('dpkg: lists, merged folders, alternatives and diversions', async () => {
  await using machine = await makeMachine()
  await machine.putProgram('usr/bin/ls')
  await machine.putProgram('usr/bin/mawk')
  await machine.link('etc/alternatives/awk', join(machine.root, 'usr/bin/mawk'))
  await machine.link('usr/bin/awk', join(machine.root, 'etc/alternatives/awk'))
  await machine.putProgram('usr/bin/pg_config')
  await machine.putProgram('usr/bin/pg_config.libpq-dev')
  await machine.putProgram('usr/bin/mine')
  await machine.putProgram('usr/bin/left-over')
  await machine.link('bin', 'usr/bin')
  await machine.put('var/lib/dpkg/info/coreutils.list', '/.\n/bin\n/bin/ls\n/usr/share/doc\n')
  await machine.put('var/lib/dpkg/info/mawk:amd64.list', '/.\n/usr/bin/mawk\n')
  await machine.put('var/lib/dpkg/info/postgresql-common.list', '/usr/bin/pg_config\n')
  await machine.put('var/lib/dpkg/info/libpq-dev.list', '/usr/bin/pg_config')
  await machine.put(
    'var/lib/dpkg/diversions',
    '/usr/bin/pg_config\n/usr/bin/pg_config.libpq-dev\npostgresql-common\n',
  )
  await machine.put(
    'var/lib/dpkg/status',
    stanza('coreutils', '9.1-1', 'GNU core utilities') +
      stanza('mawk', '1.3.4', 'Pattern scanning') +
      stanza('postgresql-common', '248', 'cluster manager') +
      stanza('libpq-dev', '15.18', 'header files'),
  )
  expect(await ownersOf(machine, ['usr/bin'])).toEqual({
    ls: ['dpkg', 'coreutils', '9.1-1', 'GNU core utilities'],
    mawk: ['dpkg', 'mawk', '1.3.4', 'Pattern scanning'],
    awk: ['dpkg', 'mawk', '1.3.4', 'Pattern scanning'],
    pg_config: ['dpkg', 'postgresql-common', '248', 'cluster manager'],
    'pg_config.libpq-dev': ['dpkg', 'libpq-dev', '15.18', 'header files'],
    mine: undefined,
    'left-over': undefined,
  })
})

test('dpkg: what was installed since is known at the next look', async () => {
  await using machine = await makeMachine()
  await machine.putProgram('usr/bin/tool')
  await machine.put('var/lib/dpkg/status', '')
  const identify = openIdentify(placesUnder(machine.root, machine.home))
  expect(await ownersOf(machine, ['usr/bin'], identify)).toEqual({ tool: undefined })
  await machine.put('var/lib/dpkg/info/tool.list', '/usr/bin/tool\n')
  await appendFile(join(machine.root, 'var/lib/dpkg/status'), stanza('tool', '1', 'A tool'))
  expect(await ownersOf(machine, ['usr/bin'], identify)).toEqual({ tool: ['dpkg', 'tool', '1', 'A tool'] })
})

test('apk', async () => {
  await using machine = await makeMachine()
  await machine.putProgram('usr/bin/jq')
  await machine.put(
    'lib/apk/db/installed',
    'P:jq\nV:1.7.1-r0\nT:A lightweight JSON processor\nF:usr\nF:usr/bin\nR:jq\na:0:0:755\n\nP:other\nV:1\nF:usr/bin\nR:other\n',
  )
  expect(await ownersOf(machine, ['usr/bin'])).toEqual({
    jq: ['apk', 'jq', '1.7.1-r0', 'A lightweight JSON processor'],
  })
})

test('npm: with a scope, and with a package.json that is broken', async () => {
  await using machine = await makeMachine()
  const modules = 'usr/local/lib/node_modules'
  await machine.putProgram(`${modules}/@anthropic-ai/claude-code/cli.js`, '#!/usr/bin/env node\n')
  await machine.put(
    `${modules}/@anthropic-ai/claude-code/package.json`,
    '{"version":"2.1.0","description":"Use Claude"}',
  )
  await machine.link('usr/local/bin/claude', '../lib/node_modules/@anthropic-ai/claude-code/cli.js')
  await machine.putProgram(`${modules}/broken/cli.js`)
  await machine.put(`${modules}/broken/package.json`, '{"version":')
  await machine.link('usr/local/bin/broken', '../lib/node_modules/broken/cli.js')
  expect(await ownersOf(machine, ['usr/local/bin'])).toEqual({
    claude: ['npm', '@anthropic-ai/claude-code', '2.1.0', 'Use Claude'],
    broken: ['npm', 'broken', null, null],
  })
})

test('cargo: its notes in JSON, and in TOML where there are no others', async () => {
  await using machine = await makeMachine()
  await machine.putProgram('home/somebody/.cargo/bin/rg')
  await machine.putProgram('home/somebody/.cargo/bin/rustup')
  await machine.put(
    'home/somebody/.cargo/.crates2.json',
    '{"installs":{"odd 1.0.0 (x)":{"bins":5},"ripgrep 14.1.0 (registry+https://github.com/rust-lang/crates.io-index)":{"bins":["rg"]}}}',
  )
  await machine.putProgram('opt/old/bin/fd')
  await machine.put(
    'opt/old/.crates.toml',
    '[v1]\n"fd-find 10.1.0 (registry+https://github.com/rust-lang/crates.io-index)" = ["fd"]\n',
  )
  await machine.putProgram('opt/bad/bin/x')
  await machine.put('opt/bad/.crates2.json', '{"installs":[null, 3')
  expect(await ownersOf(machine, ['home/somebody/.cargo/bin', 'opt/old/bin', 'opt/bad/bin'])).toEqual({
    rg: ['cargo', 'ripgrep', '14.1.0', null],
    rustup: undefined,
    fd: ['cargo', 'fd-find', '10.1.0', null],
    x: undefined,
  })
})

test('pip, pipx and the shims of pyenv', async () => {
  await using machine = await makeMachine()
  const info = (folder: string, name: string, version: string, program: string) =>
    Promise.all([
      machine.put(
        `${folder}/${name}-${version}.dist-info/RECORD`,
        `../../../bin/${program},sha256=x,200\n../../../bin/__pycache__/odd.pyc,,\n${name}/__init__.py,,\n`,
      ),
      machine.put(
        `${folder}/${name}-${version}.dist-info/METADATA`,
        `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\nSummary: What ${name} is\n\nName: not this\n`,
      ),
    ])
  await info('usr/local/lib/python3.12/dist-packages', 'httpie', '3.2', 'http')
  await machine.putProgram('usr/local/bin/http')
  const venv = 'home/somebody/.local/share/pipx/venvs/black'
  await info(`${venv}/lib/python3.12/site-packages`, 'black', '24.1', 'black')
  await machine.putProgram(`${venv}/bin/black`)
  await machine.link('home/somebody/.local/bin/black', join(machine.root, venv, 'bin/black'))
  await info('home/somebody/.pyenv/versions/3.12.1/lib/python3.12/site-packages', 'ruff', '0.5', 'ruff')
  await machine.putProgram('home/somebody/.pyenv/shims/ruff', '#!/usr/bin/env bash\n')
  const folders = ['usr/local/bin', 'home/somebody/.local/bin', 'home/somebody/.pyenv/shims']
  expect(await ownersOf(machine, folders)).toEqual({
    http: ['pip', 'httpie', '3.2', 'What httpie is'],
    black: ['pip', 'black', '24.1', 'What black is'],
    ruff: ['pip', 'ruff', '0.5', 'What ruff is'],
  })
})

test('brew, nix, snap and go', async () => {
  await using machine = await makeMachine()
  await machine.putProgram('opt/homebrew/Cellar/jq/1.7.1/bin/jq')
  await machine.put(
    'opt/homebrew/Cellar/jq/1.7.1/.brew/jq.rb',
    'class Jq < Formula\n  desc "JSON processor"\n',
  )
  await machine.link('opt/homebrew/bin/jq', '../Cellar/jq/1.7.1/bin/jq')
  const store = 'nix/store/0123456789abcdfghijklmnpqrsvwxyz-git-lfs-3.5.1/bin/git-lfs'
  await machine.putProgram(store)
  await machine.link('home/somebody/.nix-profile/bin/git-lfs', join(machine.root, store))
  await machine.putProgram('usr/bin/snap')
  await machine.put('var/lib/dpkg/info/snapd.list', '/usr/bin/snap\n')
  await machine.link('snap/bin/lxd.lxc', join(machine.root, 'usr/bin/snap'))
  await machine.put(
    'snap/lxd/current/meta/snap.yaml',
    "name: lxd\nversion: '5.21'\nsummary: Container manager\n",
  )
  await machine.putProgram('home/somebody/go/bin/gopls')
  const folders = [
    'opt/homebrew/bin',
    'home/somebody/.nix-profile/bin',
    'usr/bin',
    'snap/bin',
    'home/somebody/go/bin',
  ]
  expect(await ownersOf(machine, folders)).toEqual({
    jq: ['brew', 'jq', '1.7.1', 'JSON processor'],
    'git-lfs': ['nix', 'git-lfs', '3.5.1', null],
    snap: ['dpkg', 'snapd', null, null],
    'lxd.lxc': ['snap', 'lxd', '5.21', 'Container manager'],
    gopls: ['go', 'gopls', null, null],
  })
})

test('a program of Go says itself which module it is of', async ({ skip }) => {
  // TypeScript's own compiler is one.
  const compiler = join(
    import.meta.dirname,
    `../../../node_modules/@typescript/typescript-${process.platform}-${process.arch}/lib/tsc`,
  )
  if (process.platform !== 'linux' || !existsSync(compiler)) skip('there is no program of Go here')
  await using machine = await makeMachine()
  await copyFile(compiler, await machine.putProgram('home/somebody/go/bin/tsc'))
  expect(await ownersOf(machine, ['home/somebody/go/bin'])).toEqual({
    tsc: ['go', 'github.com/microsoft/typescript-go', expect.stringMatching(/^v\d/), null],
  })
})
