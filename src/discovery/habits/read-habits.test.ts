import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { commandsIn } from './commands.ts'
import { programsOf } from './program-names.ts'
import { readHabits } from './read-habits.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'signalbox-habits-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

const put = async (name: string, content: string | Buffer) => {
  await mkdir(dirname(join(home, name)), { recursive: true })
  await writeFile(join(home, name), content)
}
const usesOf = async () => Object.fromEntries((await readHabits(home)).uses)

describe('which programs a command runs', () => {
  test.each([
    ['git status', ['git']],
    ['FOO=1 BAR="a b" git log | less -R && echo done; make', ['git', 'less', 'echo', 'make']],
    ['sudo -u postgres psql -c "select 1"', ['sudo', 'psql']],
    ['sudo -E env A=1 nice -n 5 cargo build', ['sudo', 'env', 'nice', 'cargo']],
    ['timeout -k 5 10s curl http://x', ['timeout', 'curl']],
    ['find . -name "*.ts" -exec rm {} \\; | xargs -I{} cp {} /tmp', ['find', 'xargs', 'cp']],
    ['echo "$(git rev-parse HEAD)" `date`', ['git', 'date', 'echo']],
    ['if test -f a; then cat a 2>&1 > out; fi', ['test', 'cat']],
    ['for f in *.txt; do wc -l $f; done', ['wc']],
    ['{ ls; pwd; }', ['ls', 'pwd']],
    ['awk \'{ print $1 | "sort" }\' file # | not this', ['awk']],
    ['\\ls -la', ['ls']],
    ['/usr/bin/python3 x.py; ~/bin/deploy now', ['python3', 'deploy']],
    ['./run.sh; ../x; $EDITOR a; $(', []],
    ['cat <<EOF > /etc/x', ['cat']],
    ['docker compose up & wait', ['docker', 'wait']],
    ['"git" status', ['git']],
    ["echo 'never closed", ['echo']],
  ])('%s', (line, names) => {
    expect(
      commandsIn(line)
        .flatMap((words) => programsOf(words))
        .toSorted(),
    ).toEqual(names.toSorted())
  })

  test('a line of nothing but openings is read in no time', () => {
    const before = process.threadCpuUsage()
    for (const opening of ['$(', '`', '"', '(', '<', '{ ', '\\'])
      for (let count = 0; count < 40; count += 1) commandsIn(opening.repeat(16_000 / opening.length))
    expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(1_000)
  })
})

test('counts bash, zsh and fish together', async () => {
  await put('.bash_history', '#1700000000\ngit log\n#1700000001\ngit push | cat\n')
  await put('.zsh_history', ': 1700000000:0;git diff\n: 1700000001:3;for x in a \\\ndo\\\nmake\\\ndone\nls\n')
  await put(
    '.local/share/fish/fish_history',
    '- cmd: git add .\n  when: 1700000000\n  paths:\n    - .\n- cmd: make\\nls\n  when: 1700000001\n',
  )
  expect(await usesOf()).toEqual({ git: 4, cat: 1, make: 2, ls: 2 })
})

test('reads the bytes that zsh writes in its own way', async () => {
  await put('.zshrc', 'alias là=ls')
  // à is 0xc3 0xa0, and zsh writes the second of them as 0x83 0x80.
  await put('.zsh_history', Buffer.from(': 1700000000:0;l\xc3\x83\x80 -l\n', 'latin1'))
  expect(await usesOf()).toEqual({ ls: 1 })
})

test('an alias counts for what it stands for, and none for itself', async () => {
  await put(
    '.bashrc',
    "alias g=git\n[ -x /bin/ls ] && alias ls='ls --color=auto'\nif true; then\n  alias gs='g status' ll=\"ls -l\"\nfi\n# it's a comment\nalias up='sudo apt update'\n",
  )
  await put('.zshrc', "alias -g G='| grep'\nalias k=kubectl\nalias a=b\nalias b=a\n")
  await put(
    '.config/fish/config.fish',
    "alias d 'docker ps'\nabbr -a gco git checkout\nabbr --add tf terraform\n",
  )
  await put(
    '.config/fish/functions/dc.fish',
    "function dc --wraps='docker compose' --description 'alias dc=docker compose'\n  docker compose $argv\nend\n",
  )
  await put('.bash_history', 'g log\ngs\ngit x\nk get pods\nll\n')
  const { aliases, uses } = await readHabits(home)
  expect(Object.fromEntries(aliases)).toEqual({
    g: 'git',
    gs: 'git',
    ll: 'ls',
    up: 'apt',
    k: 'kubectl',
    d: 'docker',
    gco: 'git',
    tf: 'terraform',
    dc: 'docker',
    G: 'grep',
  })
  expect(Object.fromEntries(uses)).toEqual({ git: 3, kubectl: 1, ls: 1 })
})

describe('bad input', () => {
  test('no home at all, folders and pipes instead of files', async () => {
    expect((await readHabits('/nowhere')).uses.size).toBe(0)
    await mkdir(join(home, '.zsh_history'))
    execFileSync('mkfifo', [join(home, '.bash_history'), join(home, '.bashrc')])
    expect((await readHabits(home)).uses.size).toBe(0)
  })

  test('of a history of 40 MB only the newest is read', async () => {
    await put('.bash_history', `older\nold\n${'x'.repeat(40 * 1024 * 1024)}\ngit log\n`)
    expect(await usesOf()).toEqual({ git: 1 })
  })

  test('nothing that stands there is run', async () => {
    await put('.bashrc', `alias x="$(touch ${join(home, 'ran')})"\ntouch ${join(home, 'ran')}\n`)
    await put('.bash_history', `touch ${join(home, 'ran')}; __proto__; constructor x\n`)
    const { uses } = await readHabits(home)
    expect(uses.get('__proto__')).toBe(1)
    expect(existsSync(join(home, 'ran'))).toBe(false)
  })
})
