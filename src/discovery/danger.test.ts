import { describe, expect, it } from 'vitest'
import { dangerOfCommand, dangerOfFile, dangerOfOption, dangerOfProgram, withDanger } from './danger.ts'

const option = (line: string, names: string, description = '') => {
  const [program = '', ...words] = line.split(' ')
  return dangerOfOption(program, words, { names: names.split(' '), description })
}
const command = (line: string) => {
  const [program = '', ...words] = line.split(' ')
  return dangerOfCommand(program, words)
}

describe('the danger of a program', () => {
  it.each([
    [0, 'ls cat grep rg jq head find ffprobe'],
    [1, 'git npm docker kubectl tar ffmpeg curl mkdir cp unheard-of constructor toString __proto__'],
    [2, 'sudo su doas bash python3 python3.13 node kill shutdown reboot ssh xargs iptables mount ansible'],
    [2, 'time prlimit chrt taskset ld.so setarch awk gawk mawk sed vi vim vim.basic nvim'],
    [3, 'rm dd mkfs mkfs.ext4 mkfs.xfs shred wipefs fdisk parted mke2fs'],
  ])('is %i for %s', (level, names) => {
    for (const name of names.split(' ')) expect([name, dangerOfProgram(name)]).toEqual([name, level])
  })
})

describe('the danger of a link', () => {
  it.each([
    [3, 'tidy', '/bin/rm', 'is that of what it leads to'],
    [2, 'my-python', '/usr/bin/python3.13', 'is that of what it leads to, whatever its version'],
    [3, 'rm', '/opt/safe-rm/bin/trash', 'is not less than its name says'],
    [0, 'bat', '/opt/bat/bin/bat-1.2', 'is not more because nobody knows what it leads to'],
    [1, 'list', '/bin/ls', 'is not less than that of any unknown name'],
    [0, 'ls', '/bin/busybox', 'is that of its name where a program does what it is called'],
    [0, 'pidof', '/usr/sbin/killall5', 'is that of its name, also where that is the milder one'],
    [2, 'tidy', '/usr/sbin/killall5', 'is the worse one where the program does not know that name'],
  ])('%i of %s to %s %s', (level, name, realPath) => {
    expect(dangerOfFile({ name, realPath })).toBe(level)
  })

  it('is that of the commands and options that it leads to', () => {
    const value = { isJoined: false, isRepeatable: false, isRequired: false, value: null, description: '' }
    const push = {
      words: ['reset'],
      description: '',
      positionals: [],
      danger: 0,
      options: [{ names: ['--keep'], danger: 0, ...value }],
    }
    const whole = { ...push, words: [], options: [] }
    const schema = { source: 'help' as const, leftOut: 0, commands: [whole, push] }
    const rated = (name: string, realPath: string) =>
      withDanger({ name, realPath }, schema).commands.map(({ danger, options }) => [
        danger,
        options[0]?.danger,
      ])
    expect(rated('g', '/usr/bin/git')).toEqual([
      [1, undefined],
      [1, 2],
    ])
    expect(rated('tidy', '/bin/rm')[0]).toEqual([3, undefined])
  })
})

describe('the danger of a command', () => {
  it.each([
    [0, ['git status', 'git log', 'git diff', 'git stash list', 'kubectl get', 'docker ps']],
    [0, ['terraform plan', 'aws ec2 describe-instances', 'heroku apps:list', 'npm view', 'systemctl status']],
    [1, ['git push', 'git commit', 'git reset', 'git rm', 'npm install', 'npm uninstall', 'docker run']],
    [1, ['kubectl apply', 'cargo build', 'foo constructor', 'foo bar', 'npm run']],
    [2, ['git clean', 'git restore', 'git stash drop', 'docker rm', 'docker rmi', 'docker container prune']],
    [
      2,
      [
        'kubectl delete',
        'kubectl exec',
        'npm publish',
        'docker container cp',
        'apt install',
        'apt purge',
        'systemctl stop',
      ],
    ],
    [2, ['aws ec2 delete-vpc', 'anything remove', 'anything things:delete', 'sudo anything']],
    [3, ['terraform destroy', 'docker system prune', 'docker volume rm', 'heroku apps:destroy', 'rm -rf']],
  ])('is %i for %s', (level, lines) => {
    for (const line of lines) expect([line, command(line)]).toEqual([line, level])
  })

  it('of one below another that something is said of is at least as much', () => {
    expect(command('kubectl delete pod')).toBe(2)
    expect(command('kubectl delete namespace')).toBe(3)
    expect(command('docker volume rm deeper')).toBe(3)
  })
})

describe('the danger of an option', () => {
  it.each([
    [2, 'git push', '--force -f'],
    [2, 'git push', '-f --force'],
    [2, 'git push', '--force-with-lease'],
    [2, 'git push', '--delete -d'],
    [2, 'git push', '--mirror'],
    [2, 'git push', '--[no-]force'],
    [2, 'git reset', '--hard'],
    [2, 'git branch', '-D'],
    [2, 'git', '-c'],
    [2, 'docker run', '--privileged'],
    [2, 'docker run', '--volume -v'],
    [2, 'chmod', '--recursive -R'],
    [2, 'chown', '-R'],
    [2, 'find', '-delete'],
    [2, 'find', '-exec'],
    [2, 'tar', '--to-command'],
    [2, 'split', '--filter'],
    [2, 'wget', '-e'],
    [2, 'ssh-keygen', '-D'],
    [2, 'rsync', '--delete-after'],
    [2, 'gh pr merge', '--delete-branch'],
    [2, 'unheard of', '--force'],
    [2, 'unheard of', '--purge'],
    [3, 'rm', '--no-preserve-root'],
    [3, 'terraform apply', '-destroy'],
    [3, 'kubectl delete', '--all'],
    [1, 'git diff', '--output'],
    [1, 'prettier', '--write'],
    [0, 'git push', '--set-upstream -u'],
    [0, 'git push', '--no-force'],
    [0, 'unheard of', '--output-format'],
    [0, 'unheard of', '--constructor'],
    [0, 'kubectl get', '--output -o'],
    [0, 'grep', '--recursive -r'],
  ])('is %i for %s %s', (level, line, names) => {
    expect(option(line, names)).toBe(level)
  })

  it('that has only a letter is what it says of itself', () => {
    expect(option('unheard of', '-f', 'Force the removal')).toBe(2)
    expect(option('unheard of', '-f', 'Follow the log')).toBe(0)
    expect(option('unheard of', '-x', 'Delete files after the transfer')).toBe(2)
  })
})

it('stands in every command and option of a schema', () => {
  const value = { isJoined: false, isRepeatable: false, isRequired: false, value: null, description: '' }
  const force = { names: ['--force', '-f'], danger: 0, ...value }
  const push = { words: ['push'], description: '', positionals: [], danger: 0, options: [force] }
  const rated = withDanger(
    { name: 'git', realPath: '/usr/bin/git' },
    { source: 'help', leftOut: 0, commands: [push] },
  )
  expect(rated.commands[0]).toMatchObject({ danger: 1, options: [{ danger: 2 }] })
})
