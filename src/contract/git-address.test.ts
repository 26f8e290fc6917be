import { expect, it } from 'vitest'
import { CreateWorkspace } from './workspace.ts'

const told = (git: string) => {
  const { success, error } = CreateWorkspace.safeParse({ driver: 'sandbox', source: { git } })
  return success ? [] : error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
}

it.each([
  'https://bot:s3cr3t@host/repo.git',
  'HTTP://bot:s3cr3t@host:8080/repo.git',
  'https://:s3cr3t@host/repo.git',
  'https://s3cr3t@host/repo.git',
  'https://bot:s3c/r3t@host/repo.git',
  'https://bot:s3c@r3t@host/repo.git',
  'ssh://bot:s3cr3t@host/repo.git',
  'git://bot:s3cr3t@host/repo.git',
  'https:/bot:s3cr3t@host/repo.git',
  'bot:s3cr3t@host/repo.git',
  'bot:s3cr3t@host:repo.git',
  ' https://bot:s3cr3t@host/repo.git',
  'https://host/repo.git?private_token=s3cr3t',
])('the address %s is refused in words that do not say the secret', (git) => {
  const [first, ...others] = told(git)
  expect(first).toMatch(/^source\.git: must have no password or token in it.*credential helper.*ssh key/)
  expect(others).toEqual([])
  expect(first).not.toMatch(/s3c/)
})

it.each([
  'https://host/repo.git',
  'https://host:8080/team/repo@2.git',
  'ssh://git@host:22/repo.git',
  'git@host:team/repo.git',
  'git@host:repo@2.git',
  'file:///folder/a:b@c',
  '/folder/a:b@c',
])('the address %s is taken', (git) => {
  expect(told(git)).toEqual([])
})
