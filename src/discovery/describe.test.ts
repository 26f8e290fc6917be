import { spawn } from 'node:child_process'
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { oddPrograms, seen, wallParts } from '../../test/support/discovery/odd-programs.ts'
import { probeSandbox } from '#boundaries/sandbox/probe.ts'
import { ProgramSchema } from '#contract/discovery.ts'
import { openDescribe } from './describe.ts'
import { openDiscovery } from './open.ts'
import { openWalls } from './walls.ts'

const { works, reason } = await probeSandbox()
const odd = oddPrograms()
const places = {
  bash: [join(odd.folder, 'bash')],
  zsh: [join(odd.folder, 'zsh')],
  argc: [join(odd.folder, 'argc')],
}
const figFolder = join(odd.folder, 'fig')
const discovery = openDiscovery({ walls: wallParts, completions: places, figFolder })
beforeAll(() => {
  for (const folder of [...places.bash, ...places.zsh, ...places.argc, figFolder])
    mkdirSync(folder, { recursive: true })
})
afterAll(async () => {
  await discovery.close()
  odd.close()
})
const named = (schema: ProgramSchema) => schema.commands.map(({ words }) => words.join(' '))

describe.skipIf(!works)(`describing a program by its help${works ? '' : ` (${reason})`}`, () => {
  it('asks its subcommands, too, and says how dangerous they are', async () => {
    const tool = odd.add(
      'tool',
      `case "$1" in
  drop) printf 'Usage: tool drop [--force] NAME\\n\\nOptions:\\n  -f, --force  Do not ask\\n';;
  list) printf 'Usage: tool list [--json]\\n\\nOptions:\\n  --json  As JSON\\n';;
  *) printf 'Usage: tool COMMAND\\n\\nCommands:\\n  drop  Drops it\\n  list  Lists them\\n';;
esac`,
    )
    const schema = await discovery.describe(tool)
    expect(ProgramSchema.parse(schema)).toEqual(schema)
    expect(schema.source).toBe('help')
    expect(schema.commands).toMatchObject([
      { words: [] },
      {
        words: ['drop'],
        danger: 2,
        positionals: [{ name: 'name' }],
        options: [{ names: ['--force', '-f'], danger: 2 }],
      },
      { words: ['list'], danger: 0, options: [{ names: ['--json'], danger: 0 }] },
    ])
  })

  it.each([
    ['hangs', 'sleep 4343.1', /did not end within 2 s/],
    ['floods', 'exec head -c 1073741824 /dev/zero', /more than 256 KB/],
    [
      'needs-tty',
      'tty -s || { echo "the input device is not a TTY" >&2; exit 1; }; echo "  --no  no"',
      /needs a terminal: the input device/,
    ],
    ['silent', 'exit 7', /said nothing \(it ended with 7\)/],
    [
      'reads',
      'while read -r line; do :; done; echo nothing more; exit 1',
      /said nothing that could be read as help: nothing more/,
    ],
    ['rude', 'printf "\\033[31mno\\000\\377\\033]0;title\\007"', /said nothing that could be read/],
  ])('says why nothing came of one that %s', async (name, script, complaint) => {
    const error: unknown = await discovery.describe(odd.add(name, script)).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Error)
    expect((error as Error).message).toMatch(complaint)
    expect((error as Error).message).toContain('Fig has no spec of it')
  })

  it('does not take a program for one of its own commands', async () => {
    // As the compiler of TypeScript tells of itself.
    const script = `printf 'COMMON COMMANDS\\n\\n  itself\\n  Does it all.\\n\\n  itself --all\\n  Does more.\\n'`
    expect(named(await discovery.describe(odd.add('itself', script)))).not.toContain('itself')
  })

  it('takes what one said before it hung', async () => {
    const schema = await discovery.describe(
      odd.add('slow-end', 'echo "usage: slow-end [--fast]"; echo "  --fast  Faster"; sleep 4343.2'),
    )
    expect(schema.commands[0]?.options).toMatchObject([{ names: ['--fast'] }])
  })

  it('reads a text with colours, overstrikes, NULs and bytes that are no characters', async () => {
    const script = String.raw`printf '\033[1mOptions:\033[0m\n  \033[32m-v\033[0m, \033[32m--verbose\033[0m   S\bSay\000 m\377ore\033]8;;http://x\007\n'`
    const schema = await discovery.describe(odd.add('colourful', script))
    expect(schema.commands[0]?.options).toMatchObject([
      { names: ['--verbose', '-v'], description: 'Say more' },
    ])
  })

  it('never runs what may do harm', async () => {
    const shutdown = odd.add('shutdown', 'echo "  --now  Now"')
    await expect(discovery.describe(shutdown)).rejects.toThrow(/can do harm whatever it is told/)
    const renamed = { ...odd.add('tidy', 'echo "  --now  Now"'), realPath: '/usr/sbin/shutdown' }
    await expect(discovery.describe(renamed)).rejects.toThrow(/can do harm whatever it is told/)
    const served = { ...odd.add('served', 'echo "  --now  Now"'), class: 'daemon' as const }
    await expect(discovery.describe(served)).rejects.toThrow(/is a service/)
    expect([await discovery.version(shutdown), await discovery.version(served)]).toEqual([
      undefined,
      undefined,
    ])
  })

  it('tells a version, and none where there is none', async () => {
    expect(await discovery.version(odd.add('dated', 'echo "dated (things) v2.10.3-rc1 of 2026"'))).toBe(
      '2.10.3-rc1',
    )
    expect(
      await discovery.version(odd.add('undated', 'echo "unknown option --version, see 1.2.3" >&2; exit 2')),
    ).toBeUndefined()
    expect(await discovery.version(odd.add('late', 'sleep 4343.3'))).toBeUndefined()
  })

  it('stops when nobody wants to know any more', async () => {
    const stop = new AbortController()
    const asked = discovery.describe(odd.add('slow', 'sleep 4343.4'), { signal: stop.signal })
    setTimeout(() => stop.abort(), 200)
    await expect(asked).rejects.toThrow(/abort/i)
  })

  describe('with a model', () => {
    const told = seen(join(odd.folder, 'told'), 'told')
    beforeAll(() => void odd.add('told', 'echo "usage: told [--one]"; echo "  --one  One"'))
    const ask = (answer: string) => discovery.describe(told, { model: () => Promise.resolve(answer) })

    it('takes what it makes of the help text, and keeps what it left out', async () => {
      let question = ''
      const answer = { commands: [{ words: ['wipe'], options: [{ names: ['--deep'] }] }] }
      const schema = await discovery.describe(told, {
        model: (asked) => {
          question = asked
          return Promise.resolve(`Here you are:\n\`\`\`json\n${JSON.stringify(answer)}\n\`\`\``)
        },
      })
      expect(question).toContain('usage: told [--one]')
      expect(schema).toMatchObject({
        source: 'model',
        commands: [
          { words: [], options: [{ names: ['--one'] }] },
          { words: ['wipe'], danger: 3 },
        ],
      })
    })
    it.each([
      'I do not know.',
      '{"commands":[]}',
      '{"commands":[{"words":["; rm -rf /"]}]}',
      '{"commands":[{"words":[],"options":[{"names":["evil"]}]}]}',
      'x'.repeat(500_000),
    ])('does without an answer that does not fit: %.40s', async (answer) =>
      expect(await ask(answer)).toMatchObject({
        source: 'help',
        commands: [{ options: [{ names: ['--one'] }] }],
      }),
    )
    it('is not asked by anybody who did not say so', async () => {
      expect((await discovery.describe(told)).source).toBe('help')
    })
  })
})

describe('describing a program without running it', () => {
  const without = openDiscovery({ walls: { ...wallParts, path: '/nowhere' }, completions: places, figFolder })
  const spec = (name: string, code: string) =>
    writeFileSync(join(figFolder, `${name}.js`), `${code};export{x as default};`)

  it('says that there are no walls to run it in', async () => {
    await expect(
      without.describe(odd.add('unwalled', `touch '${odd.folder}/unwalled-ran'; echo "  --a  A"`)),
    ).rejects.toThrow(/Bubblewrap is not installed, so it was not run/)
  })

  it('says so to whoever wants to ask again later, and only then', async () => {
    const told: string[] = []
    const onUnasked = (why: string) => told.push(why)
    spec('walless', 'let x = {name: "walless", options: [{name: "--a"}]}')
    expect((await without.describe(odd.add('walless', ''), { onUnasked })).source).toBe('fig')
    expect(told).toEqual([expect.stringContaining('Bubblewrap is not installed')])
    await expect(without.describe(odd.add('halt', ''), { onUnasked })).rejects.toThrow(/can do harm/)
    expect(told).toHaveLength(1)
  })

  it('does not wait for walls that a busy machine does not get up', async () => {
    const folder = join(odd.folder, 'slow-walls')
    mkdirSync(folder, { recursive: true })
    for (const name of ['bwrap', 'setpriv'])
      writeFileSync(join(folder, name), '#!/bin/sh\nexec sleep 4343.5\n', { mode: 0o755 })
    const walls = openWalls({ ...wallParts, path: folder })
    const patienceMs = { whole: 300, known: 300, unknown: 300 }
    const describe = openDescribe({ walls, completions: places, figFolder, patienceMs })
    const told: string[] = []
    const began = Date.now()
    const asked = describe(odd.add('unwalled', ''), { onUnasked: (why) => told.push(why) })
    await expect(asked).rejects.toThrow(/too busy to run it within 0.3 s/)
    expect(Date.now() - began).toBeLessThan(5_000)
    expect(told).toHaveLength(1)
    await walls.close()
  })

  it('does not give up a spec because others have the machine', async () => {
    spec('patient', `for (const end = Date.now() + 600; Date.now() < end;); let x = {name: "patient"}`)
    const script = `import { loadFigSpec } from '#discovery/schema/fig-spec.ts'
      process.send('begins')
      const told = await loadFigSpec('patient', process.argv[1]).catch((error) => error.message)
      process.send(JSON.stringify(told))`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script, figFolder], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const said: unknown[] = []
    child.on('message', (message) => {
      said.push(message)
      if (message !== 'begins') return
      setTimeout(() => child.kill('SIGSTOP'), 200)
      setTimeout(() => child.kill('SIGCONT'), 1_700)
    })
    await new Promise((resolve) => child.once('close', resolve))
    expect(said).toEqual(['begins', '{"name":"patient"}'])
  })

  it('takes what Fig says: only what is data, and within bounds', async () => {
    spec(
      'figged',
      `let x = {name: "figged", generateSpec: () => { throw 1 }, options: Array.from({length: 300}, (_, i) => ({name: "--o" + i})),
      subcommands: [{name: ["i", "install"], description: "Installs", args: {name: "package", isVariadic: true, generators: {script: ["rm", "-rf", "/"]}}, loadSpec: "part"}, {name: "hidden", hidden: true}]};
      x.subcommands.push({name: "self", subcommands: x.subcommands})`,
    )
    spec(
      'part',
      'let x = {name: "part", options: [{name: ["-f", "--force"], isDangerous: true, args: {name: "how", isOptional: true}}]}',
    )
    const schema = await without.describe(odd.add('figged', ''))
    expect(schema).toMatchObject({ source: 'fig', leftOut: expect.any(Number) })
    expect(schema.leftOut).toBeGreaterThanOrEqual(100)
    expect(schema.commands[0]?.options).toHaveLength(200)
    expect(schema.commands[1]).toMatchObject({
      words: ['install'],
      options: [{ names: ['--force', '-f'], danger: 2, isJoined: true }],
    })
    expect(named(schema)).toContain('self install')
    expect(named(schema)).not.toContain('hidden')
    expect(named(schema).length).toBeLessThanOrEqual(600)
  })

  it.each([
    [
      'throws',
      'let x = {name: "a", options: [{name: "--a"}]}; throw new Error("broken on purpose")',
      /broken on purpose/,
    ],
    ['loops', 'let x = {}; for (;;) {}', /timed out/],
    ['looks around', 'let x = {name: process.env.HOME}', /process is not defined/],
    ['reads files', 'let x = {name: require("fs")}', /require is not defined/],
    ['escapes', 'let x = {name: this.constructor.constructor("return process")()}', /cannot be read/],
    ['makes code', 'let x = {name: (() => {}).constructor("return 1")()}', /Code generation from strings/],
  ])('is not harmed by a spec that %s', async (name, code, complaint) => {
    const plain = name.replaceAll(' ', '-')
    spec(plain, code)
    await expect(without.describe(odd.add(plain, ''))).rejects.toThrow(complaint)
  })

  it('reads completions as text, and never runs them', async () => {
    const mark = join(odd.folder, 'completion-ran')
    writeFileSync(
      join(places.zsh[0]!, '_zished'),
      `#compdef zished\ntouch ${mark}\n_arguments '(-q --quiet)'{-q,--quiet}'[Say less]' '--mode=[How]:mode:(fast slow)' '*--tag[Mark]:tag:' '*:file:_files'\n`,
    )
    writeFileSync(
      join(places.bash[0]!, 'bashed'),
      `touch ${mark}\n_bashed() {\n  case $prev in\n    -o|--output) COMPREPLY=();;\n    -h|--help) return;;\n  esac\n  local commands="start stop"\n  local opts="--output --help --all"\n  COMPREPLY=( $(compgen -W "$commands $opts" -- "$cur") )\n}\n`,
    )
    writeFileSync(
      join(places.argc[0]!, 'argced.sh'),
      `# @describe Does things\n# @cmd Uploads\n# @flag -f --force Anyway\n# @option --to! <HOST> Where\n# @option --mode[fast|slow] How\n# @arg files+ What\nupload() { touch ${mark}; }\n`,
    )
    const zsh = await without.describe(odd.add('zished', ''))
    expect(zsh).toMatchObject({
      source: 'zsh',
      commands: [{ positionals: [{ name: 'file', type: 'path', isVariadic: true }] }],
    })
    expect(zsh.commands[0]?.options).toMatchObject([
      { names: ['--quiet', '-q'], value: null, description: 'Say less' },
      { names: ['--mode'], isJoined: true, value: { choices: ['fast', 'slow'] } },
      { names: ['--tag'], isRepeatable: true },
    ])
    const bash = await without.describe(odd.add('bashed', ''))
    expect(bash).toMatchObject({ source: 'bash', commands: [{}, { words: ['start'] }, { words: ['stop'] }] })
    expect(bash.commands[0]?.options).toMatchObject([
      { names: ['--output', '-o'], value: {} },
      { names: ['--help'], value: null },
      { names: ['--all'], value: null },
    ])
    const argc = await without.describe(odd.add('argced', ''))
    expect(argc).toMatchObject({
      source: 'argc',
      commands: [
        { description: 'Does things' },
        { words: ['upload'], positionals: [{ name: 'files', isVariadic: true, isOptional: false }] },
      ],
    })
    expect(argc.commands[1]?.options).toMatchObject([
      { names: ['--force', '-f'], danger: 2 },
      { names: ['--to'], isRequired: true, value: { name: 'HOST' } },
      { names: ['--mode'], value: { choices: ['fast', 'slow'] } },
    ])
    expect(() => mkdirSync(mark)).not.toThrow()
  })

  it('leaves a completion of 50 MB alone', async () => {
    const huge = join(places.bash[0]!, 'huge')
    writeFileSync(huge, 'opts="--all"\n')
    truncateSync(huge, 50 << 20)
    const before = process.memoryUsage.rss()
    await expect(without.describe(odd.add('huge', ''))).rejects.toThrow(
      /huge is too large to be read \(50 MB\)/,
    )
    expect(process.memoryUsage.rss() - before).toBeLessThan(30 << 20)
  })

  it.each(['../fig/figged', '..', '.', 'a\nb', ''])('knows nothing of a program called %j', async (name) => {
    await expect(without.describe({ ...odd.add('plain', ''), name })).rejects.toThrow(/Nothing is known/)
  })
})
