import { describe, expect, it } from 'vitest'
import type { CommandOption, CommandValue } from '#contract/discovery.ts'
import { readHelp } from './help.ts'

const option = ({ names, value, isJoined, isRepeatable }: CommandOption) =>
  names.join(',') +
  (value ? (isJoined ? '=' : ' ') + (value.isOptional ? '?' : '') + value.name : '') +
  (value?.choices.length ? `{${value.choices.join()}}` : '') +
  (isRepeatable ? '*' : '')
const positional = ({ name, isOptional, isVariadic }: CommandValue) =>
  name + (isOptional ? '?' : '') + (isVariadic ? '*' : '')
const read = (text: string, words = ['tool']) => {
  const { command, below } = readHelp(text, words)
  return {
    options: command.options.map(option),
    positionals: command.positionals.map(positional),
    commands: below.map(({ word }) => word),
  }
}

describe('help is read as it is written by', () => {
  it('GNU programs', () => {
    expect(
      read(`Usage: tool [OPTION]... [FILE]...
List information about the FILEs.

Mandatory arguments to long options are mandatory for short options too.
  -a, --all                  do not ignore entries starting with .
      --block-size=SIZE      with -l, scale sizes by SIZE
      --color[=WHEN]         color the output WHEN; more info below
  -T, --tabsize=COLS         assume tab stops at each COLS
                               instead of 8
  -1                         list one file per line`),
    ).toEqual({
      options: ['--all,-a', '--block-size=SIZE', '--color=?WHEN', '--tabsize,-T=COLS', '-1'],
      positionals: ['file?*'],
      commands: [],
    })
  })

  it('cobra', () => {
    expect(
      read(`A tool for things

Usage:
  tool [command]

Available Commands:
  completion  Generate the autocompletion script for the specified shell
  get-all     Get
              all of them
  help        Help about any command

Flags:
  -h, --help              help for tool
  -n, --namespace string  the namespace
      --set stringArray   set values (can be repeated)

Use "tool [command] --help" for more information about a command.`),
    ).toEqual({
      options: ['--help,-h', '--namespace,-n string', '--set stringArray*'],
      positionals: [],
      commands: ['completion', 'get-all', 'help'],
    })
  })

  it('clap', () => {
    expect(
      read(`Does things

Usage: tool [OPTIONS] <INPUT> [REST]... [COMMAND]

Commands:
  build, b  Compile it
  help      Print this message

Arguments:
  <INPUT>    What to read
  [REST]...

Options:
  -c, --color <WHEN>
          Coloring

          [default: auto]
          [possible values: auto, always, never]
      --level <LEVEL>  How much [possible values: low, high]
  -v, --verbose...     Say more`),
    ).toMatchObject({
      options: ['--color,-c WHEN', '--level LEVEL{low,high}', '--verbose,-v'],
      commands: ['build', 'help'],
    })
  })

  it('argparse', () => {
    expect(
      read(`usage: tool [-h] [--mode {fast,slow}] [--tag TAG [TAG ...]] {init,run} ...

positional arguments:
  {init,run}
    init                begins
    run                 runs

options:
  -h, --help            show this help message and exit
  --mode {fast,slow}    how it is done,
                        and so on
  --tag TAG [TAG ...]   marks`),
    ).toEqual({
      options: ['--help,-h', '--mode value{fast,slow}', '--tag TAG*'],
      positionals: [],
      commands: ['init', 'run'],
    })
    expect(
      read('usage: tool [-h] src [dst ...]\n\npositional arguments:\n  src   from\n  dst   to\n'),
    ).toMatchObject({ positionals: ['src', 'dst?*'] })
  })

  it('click', () => {
    expect(
      read(`Usage: tool [OPTIONS] COMMAND [ARGS]...

  Does things.

Options:
  --name TEXT      Who.  [required]
  --kind [a|b]     Which.
  --help           Show this message and exit.

Commands:
  add-one  Adds one.
  drop     Drops it.`),
    ).toEqual({
      options: ['--name TEXT', '--kind ?value{a,b}', '--help'],
      positionals: [],
      commands: ['add-one', 'drop'],
    })
  })

  it('commander and yargs', () => {
    expect(
      read(`Usage: tool [options] [command]

Options:
  -V, --version            output the version number
  -p, --port <number>      port (default: 80)
  --size <size>            drink (choices: "small", "large")

Commands:
  install|i [options] <pkg>  install one
  search <query>             look for one`),
    ).toEqual({
      options: ['--version,-V', '--port,-p number', '--size size{small,large}'],
      positionals: [],
      commands: ['install', 'search'],
    })
    expect(
      read(`tool <command>

Commands:
  tool serve [port]  start the server
  tool stop          stop it

Options:
      --version  Show version number                                   [boolean]
  -l, --log      How much            [string] [choices: "info", "debug"]`),
    ).toMatchObject({ commands: ['serve', 'stop'] })
  })

  it('docopt', () => {
    expect(
      read(`Naval Fate.

Usage:
  tool ship new <name>...
  tool ship move <x> <y> [--speed=<kn>]
  tool mine (set|remove) <x> <y>

Options:
  --speed=<kn>  Speed in knots [default: 10].`),
    ).toEqual({ options: ['--speed=kn'], positionals: [], commands: ['ship', 'mine'] })
    expect(read('usage: tool source target\n       tool source ... directory').commands).toEqual([])
  })

  it('the package flag of go', () => {
    expect(
      read('Usage of tool:\n  -count int\n    \trun so often (default 1)\n  -v\tsay more\n').options,
    ).toEqual(['-count int', '-v'])
  })

  it('git', () => {
    expect(
      read(
        `usage: git push [<options>] [<repository> [<refspec>...]]

    -v, --verbose         be more verbose
    --[no-]thin           use thin pack
    --force-with-lease[=<refname>:<expect>]
                          require old value of ref to be at this value
    --receive-pack <receive-pack>
                          receive pack program`,
        ['git', 'push'],
      ).options,
    ).toEqual([
      '--verbose,-v',
      '--thin',
      '--force-with-lease=?refname',
      '--receive-pack receive-pack',
      '--no-thin',
    ])
    expect(
      read(
        `usage: git [-v | --version] <command> [<args>]

These are common Git commands used in various situations:

start a working area (see also: git help tutorial)
   clone      Clone a repository into a new directory
   init       Create an empty Git repository

work on the current change (see also: git help everyday)
   add        Add file contents to the index

See 'git help <command>' to read about a specific subcommand.`,
        ['git'],
      ).commands,
    ).toEqual(['clone', 'init', 'add'])
  })

  it('npm, busybox, apt and openssl', () => {
    expect(
      read(
        'npm <command>\n\nUsage:\n\nnpm install        install all\n\nAll commands:\n\n    access, adduser, audit,\n    bugs, cache, ci\n\nSpecify configs',
        ['npm'],
      ).commands,
    ).toEqual('access adduser audit bugs cache ci'.split(' '))
    expect(
      read(
        'Usage: busybox [function [arguments]...]\n\nCurrently defined functions:\n\t[, [[, acpid, adjtimex,\n\tar, arch\n',
        ['busybox'],
      ).commands,
    ).toContain('adjtimex')
    expect(
      read(
        'Usage: apt [options] command\n\nMost used commands:\n  list - list packages based on package names\n  search - search in package descriptions\n',
        ['apt'],
      ).commands,
    ).toEqual(['list', 'search'])
    expect(
      read(
        'Standard commands\nasn1parse         ca                ciphers\ncmp               cms               crl\n',
        ['openssl'],
      ).commands,
    ).toEqual('asn1parse ca ciphers cmp cms crl'.split(' '))
    expect(read('where  OBJECT := { address | link |\n                   route }', ['ip']).commands).toEqual([
      'address',
      'link',
      'route',
    ])
  })
})

it('takes no prose for options or commands', () => {
  expect(
    read(
      'This tool - a good one - does things.\nSee https://example.com --now.\n\n- first\n- second\n\nExamples:\n  tool --fast now\n',
    ),
  ).toEqual({ options: [], positionals: [], commands: [] })
})

it('is done with a text of hostile size within a second', () => {
  const texts = [
    'a'.repeat(262_144),
    '-'.repeat(262_144),
    '  --a [[[['.repeat(20_000),
    'usage: tool '.padEnd(262_144, '['),
    `Commands:\n${'  a, '.repeat(50_000)}`,
    ' \n'.repeat(100_000),
    '\u001b['.repeat(100_000),
    `Options:\n${'  -a, -b <'.repeat(25_000)}`,
    `Commands:\n  a${' A...'.repeat(24)} !`,
    `${'a'.padEnd(262_000)}b:`,
  ]
  for (const text of texts) {
    const began = performance.now()
    read(text)
    expect([text.slice(0, 12), performance.now() - began < 1_000]).toEqual([text.slice(0, 12), true])
  }
})
