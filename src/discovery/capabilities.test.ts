import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CreateCapability } from '#contract/capability.ts'
import type { ProgramSchema } from '#contract/discovery.ts'
import { checkArgs, checkArgsSchema } from '#domain/args-schema.ts'
import { fillTemplate, slotsInToken } from '#domain/template.ts'
import { capabilitiesOf } from './capabilities.ts'
import { dangerOfProgram, withDanger } from './danger.ts'
import { newCommand, newOption, newSchema, newValue } from './schema/command.ts'
import { fromFig } from './schema/fig.ts'

/** No link to something else. */
const itself = (name: string) => ({ name, realPath: `/usr/bin/${name}` })

const ofFig = async (name: string) => {
  const schema = await fromFig(name)
  return capabilitiesOf(name, schema ? withDanger(itself(name), schema) : null, dangerOfProgram(name))
}
const git = await ofFig('git')
const find = (all: CreateCapability[], key: string) => {
  const found = all.find((one) => one.key === key)
  if (!found) throw new Error(`no ${key} in ${all.map((one) => one.key).join(' ')}`)
  return found
}
/** As an execution does it: the arguments are checked, and then put into their places. */
const argv = (all: CreateCapability[], key: string, args: Record<string, unknown>) => {
  const { commandTokens, argsSchema } = find(all, key)
  return fillTemplate(commandTokens ?? [], checkArgs(argsSchema, args), argsSchema)
}

describe('capabilities', () => {
  it.each(['git', 'docker', 'npm', 'kubectl', 'ffmpeg', 'tar', 'aws', 'curl', 'dd', 'ls'])(
    'of %s can be created: keys, schemas and slots are as they have to be',
    async (name) => {
      const all = await ofFig(name)
      expect(all.length).toBeGreaterThan(0)
      expect(new Set(all.map(({ key }) => key)).size).toBe(all.length)
      for (const [at, one] of all.entries()) {
        expect(CreateCapability.parse(one)).toEqual(one)
        if (at < 15) checkArgsSchema(one.argsSchema)
        const slots = one.commandTokens!.flatMap(slotsInToken)
        expect(slots.toSorted()).toEqual(Object.keys(one.argsSchema['properties'] as object).toSorted())
        expect(slots.length).toBeLessThan(100)
      }
    },
    60_000,
  )

  it('are of the level of the worst that they offer', async () => {
    for (const name of ['git', 'docker', 'kubectl', 'tar']) {
      const schema = withDanger(itself(name), (await fromFig(name))!)
      const level = new Map(
        schema.commands.flatMap(({ options, words }) =>
          options.flatMap((one) =>
            one.names.map((flag) => [`${words.join('.') || 'run'} ${flag}`, one.danger] as const),
          ),
        ),
      )
      for (const { key, dangerLevel, argsSchema } of capabilitiesOf(name, schema, 1))
        for (const property of Object.values(
          argsSchema['properties'] as Record<string, Record<string, unknown>>,
        )) {
          const flag = property['x-flag']
          expect([name, key, flag, (level.get(`${key} ${flag as string}`) ?? 0) <= dangerLevel]).toEqual([
            name,
            key,
            flag,
            true,
          ])
        }
    }
  })
})

describe('git push', () => {
  it('takes what it needs to, at level 1', () => {
    expect(find(git, 'push').dangerLevel).toBe(1)
    expect(argv(git, 'push', { remote: 'origin', branch: 'main', 'set-upstream': true })).toEqual([
      'git',
      'push',
      '--set-upstream',
      '--',
      'origin',
      'main',
    ])
  })
  it.each([
    { force: true },
    { 'force-with-lease': true },
    { mirror: true },
    { delete: true },
    { prune: true },
  ])('does not know %o', (args) => expect(() => argv(git, 'push', args)).toThrow(/is not an argument/))
  it.each(['+main', ':main', '+refs/heads/main:refs/heads/main'])(
    'refuses %s, which would force or delete',
    (branch) => {
      expect(() => argv(git, 'push', { remote: 'origin', branch })).toThrow(/pattern/)
    },
  )
  it('forces at a level that needs a yes', () => {
    expect(find(git, 'push.force').dangerLevel).toBe(2)
    expect(argv(git, 'push.force', { force: true, remote: 'origin', branch: '+main' })).toEqual([
      'git',
      'push',
      '--force',
      '--',
      'origin',
      '+main',
    ])
  })
})

describe('dangerous options', () => {
  it.each([
    ['reset', { hard: true }],
    ['branch', { delete: true }],
    ['checkout', { force: true }],
  ])('of git %s are not in the ordinary one', (key, args) => {
    expect(find(git, key).dangerLevel).toBeLessThan(2)
    expect(() => argv(git, key, args)).toThrow(/is not an argument/)
  })

  it('of commands that are dangerous anyway are where they are', () => {
    const rm = withDanger(
      itself('rm'),
      newSchema('help', [
        newCommand([], {
          options: [newOption(['--force', '-f'])],
          positionals: [newValue('file', { isVariadic: true })],
        }),
      ]),
    )
    const all = capabilitiesOf('rm', rm, 3)
    expect(all).toMatchObject([{ key: 'run', dangerLevel: 3 }])
    expect(argv(all, 'run', { force: true, file: ['-x', 'y'] })).toEqual(['rm', '--force', '--', '-x', 'y'])
  })

  it('that write keep a command that reads at level 0', () => {
    const sort = withDanger(
      itself('sort'),
      newSchema('help', [
        newCommand([], {
          options: [
            newOption(['--output'], { value: newValue('file'), isJoined: true }),
            newOption(['--reverse']),
          ],
        }),
      ]),
    )
    expect(capabilitiesOf('sort', sort, 0)).toMatchObject([
      { key: 'run', dangerLevel: 0 },
      { key: 'run.output', dangerLevel: 1 },
    ])
  })

  it('are not reached by the name of another command', () => {
    const stash = withDanger(
      itself('git'),
      newSchema('help', [
        newCommand(['stash'], {
          positionals: [newValue('what', { isOptional: true })],
          options: [newOption(['--quiet'])],
        }),
        newCommand(['stash', 'clear']),
      ]),
    )
    const all = capabilitiesOf('git', stash, 1)
    expect(find(all, 'stash.clear').dangerLevel).toBe(2)
    expect(argv(all, 'stash', { what: 'fine' })).toEqual(['git', 'stash', 'fine'])
    expect(() => argv(all, 'stash', { what: 'clear' })).toThrow(/args.what/)
  })

  it('are not reached by what the whole program takes', () => {
    expect(find(git, 'run').commandTokens!.join(' ')).not.toContain('alias')
  })
})

describe('arguments', () => {
  const value = (name: string, more = {}) => newValue(name, more)
  const schema: ProgramSchema = newSchema('help', [
    newCommand([], {
      options: [
        newOption(['--color'], { value: value('when', { isOptional: true }), isJoined: true }),
        newOption(['--level'], { value: value('level', { choices: ['low', 'high'] }) }),
        newOption(['--tag', '-t'], { value: value('tag'), isRepeatable: true }),
        newOption(['-1']),
        newOption(['--file'], { value: value('file'), isRequired: true }),
        newOption(['--depth'], { value: value('int') }),
        newOption(['--prompt'], { value: value('text') }),
        newOption(['--constructor']),
        newOption(['--help', '-h']),
      ],
      positionals: [value('file'), value('rest', { isVariadic: true, isOptional: true })],
    }),
  ])
  const all = capabilitiesOf('odd', schema, 1)

  it('become words in their order', () => {
    const given = {
      file: 'a',
      rest: ['b', 'c'],
      color: true,
      level: 'low',
      tag: ['x', 'y'],
      'option-1': true,
      'file-2': 'f',
      depth: 3,
      'prompt-2': 'p',
      'constructor-2': true,
    }
    expect(argv(all, 'run', given)).toEqual(
      'odd --color --level low --tag x --tag y -1 --file f --depth 3 --prompt p --constructor a b c'.split(
        ' ',
      ),
    )
    expect(argv(all, 'run', { file: 'a', 'file-2': 'f', color: 'never' })).toEqual([
      'odd',
      '--color=never',
      '--file',
      'f',
      'a',
    ])
  })
  it.each([
    [{ file: 'a' }, /file-2/],
    [{ 'file-2': 'f' }, /args.file/],
    [{ file: 'a', 'file-2': 'f', level: 'middle' }, /low, high/],
    [{ file: 'a', 'file-2': 'f', depth: 'deep' }, /number/],
    [{ file: '--level', 'file-2': 'f' }, /would be read as an option/],
    [{ file: 'a', 'file-2': 'f', help: true }, /is not an argument/],
  ])('that do not fit are refused: %o', (args, complaint) => {
    expect(() => argv(all, 'run', args)).toThrow(complaint)
  })
  it('of a program of which nothing is known are words', () => {
    const unknown = capabilitiesOf('secretive', null, 2)
    expect(unknown).toMatchObject([{ key: 'run', dangerLevel: 2 }])
    expect(argv(unknown, 'run', { args: ['a b', 'c'] })).toEqual(['secretive', 'a b', 'c'])
  })
  it('are at most sixty of the most useful', () => {
    const options = Array.from({ length: 150 }, (_, at) =>
      newOption([`--o${at}`], { description: at < 100 ? '' : 'Said' }),
    )
    const [one] = capabilitiesOf('large', newSchema('help', [newCommand([], { options })]), 1)
    const names = Object.keys(one!.argsSchema['properties'] as object)
    expect(names).toHaveLength(60)
    expect(names.slice(0, 50)).toEqual(Array.from({ length: 50 }, (_, at) => `o${at + 100}`))
  })
})

describe('programs in whose commands the order matters', () => {
  it('pass on what is meant for a container, a script, a pod', async () => {
    const docker = await ofFig('docker')
    expect(argv(docker, 'run', { rm: true, image: 'alpine', command: ['sh', '-c', 'echo hi'] })).toEqual([
      'docker',
      'run',
      '--rm',
      '--',
      'alpine',
      'sh',
      '-c',
      'echo hi',
    ])
    expect(find(docker, 'run').dangerLevel).toBe(1)
    expect(() => argv(docker, 'run', { image: 'alpine', volume: '/:/host' })).toThrow(/is not an argument/)
    expect(find(docker, 'run.dangerous').dangerLevel).toBe(2)
    expect(argv(await ofFig('npm'), 'run', { script: 'build', args: ['--watch'] })).toEqual([
      'npm',
      'run',
      'build',
      '--',
      '--watch',
    ])
    const exec = argv(await ofFig('kubectl'), 'exec', { pod: 'web', container: 'app', command: ['ls', '-l'] })
    expect(exec).toEqual(['kubectl', 'exec', '--container=app', 'web', '--', 'ls', '-l'])
  })
  it('put what ffmpeg reads before what it writes', async () => {
    const ffmpeg = await ofFig('ffmpeg')
    expect(
      argv(ffmpeg, 'convert', {
        input: 'a.mov',
        output: 'b.mp4',
        'video-codec': 'libx264',
        start: '1',
        overwrite: true,
      }),
    ).toEqual('ffmpeg -hide_banner -nostdin -y -ss 1 -i a.mov -c:v libx264 b.mp4'.split(' '))
    expect(argv(ffmpeg, 'run', { i: 'a.mov', outfile: 'b.gif', t: '3' })).toEqual(
      'ffmpeg -nostdin -i a.mov -t 3 b.gif'.split(' '),
    )
  })
})

describe('with the real programs', () => {
  const folder = join(tmpdir(), `capabilities-${randomUUID().slice(0, 8)}`)
  beforeAll(() => mkdirSync(folder))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@b',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@b',
  }
  const run = ([program = '', ...words]: string[], cwd: string) =>
    execFileSync(program, words, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

  it('git commits, pushes, and looks', () => {
    const [repository, remote] = [join(folder, 'here'), join(folder, 'there')]
    mkdirSync(repository)
    run(argv(git, 'init', { bare: true, directory: remote }), folder)
    run(argv(git, 'init', { 'initial-branch': 'main' }), repository)
    writeFileSync(join(repository, '-odd name'), 'x')
    run(argv(git, 'add', { pathspec: ['-odd name'] }), repository)
    run(argv(git, 'commit', { message: '-a message; $(with) everything' }), repository)
    run(argv(git, 'remote.add', { name: 'origin', 'repository-url': remote }), repository)
    run(argv(git, 'push', { remote: 'origin', branch: 'main' }), repository)
    expect(run(['git', 'log', '--format=%s', 'main'], remote)).toBe('-a message; $(with) everything\n')
    expect(run(argv(git, 'status', { short: true }), repository)).toBe('')
    writeFileSync(join(repository, 'main'), 'a file that is called like the branch')
    run(argv(git, 'checkout', { branch: 'main' }), repository)
  })

  it('tar packs, lists and unpacks', async () => {
    const tar = await ofFig('tar')
    const [from, to] = [join(folder, 'from'), join(folder, 'to')]
    for (const one of [from, to]) mkdirSync(one)
    writeFileSync(join(from, '-dash'), '1')
    writeFileSync(join(from, 'two'), '2')
    run(
      argv(tar, 'create', { archive: 'x.tgz', compression: 'gzip', folder: from, files: ['-dash', 'two'] }),
      folder,
    )
    expect(
      run(argv(tar, 'list', { archive: 'x.tgz' }), folder)
        .trim()
        .split('\n'),
    ).toEqual(['-dash', 'two'])
    run(argv(tar, 'extract', { archive: 'x.tgz', folder: to, files: ['-dash'] }), folder)
    expect([existsSync(join(to, '-dash')), existsSync(join(to, 'two'))]).toEqual([true, false])
    expect(() => argv(tar, 'extract', { archive: 'elsewhere:x.tgz' })).toThrow(/pattern/)
  })
})
