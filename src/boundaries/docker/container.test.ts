import { expect, it } from 'vitest'
import type { HostSetup } from '#contract/host.ts'
import type { EnclosedSpec } from '#contract/workspace.ts'
import { containerFor } from './container.ts'

// What is really in force is measured with an engine (test/workspaces/docker-limits.test.ts); these are the engines that are not there.

const workspace: EnclosedSpec = {
  id: '01900000-0000-7000-8000-000000000000',
  driver: 'docker',
  root: '/files/root',
  homes: '/files/homes',
  image: 'node:24',
  egress: 'none',
  modelHosts: [],
  forwards: [],
  mounts: ['/opt/claude'],
  limits: { memoryMb: 256, cpus: 1.5, pids: 64 },
  app: null,
  ports: [],
  commandRules: [],
}
const furnishing = {
  image: 'node:24',
  hostRuntime: '/runtime',
  socketFolder: '/run/s/h-1',
  owner: { uid: 1000, gid: 1000 },
  labels: { home: 'h', keeper: 'k' },
  setup: { root: '/workspace' } as HostSetup,
}
const facts = { version: '28', isRootless: false, remapsUsers: false, lacks: [] }

it('has the limits and the user that are asked for, and mounts what is read-only so', () => {
  const { User, HostConfig } = containerFor(workspace, { ...furnishing, facts })
  expect(User).toBe('1000:1000')
  expect(HostConfig).toMatchObject({
    Memory: 268_435_456,
    MemorySwap: 268_435_456,
    NanoCpus: 1.5e9,
    PidsLimit: 64,
  })
  expect(HostConfig).not.toHaveProperty('UsernsMode')
  expect(HostConfig.Mounts.map(({ Source, Target, ReadOnly }) => [Source, Target, ReadOnly])).toEqual([
    ['/files/root', '/workspace', false],
    ['/files/homes', '/home/agent', false],
    ['/runtime', '/opt/signalbox', true],
    ['/run/s/h-1', '/run/signalbox', true],
    ['/opt/claude', '/opt/claude', true],
  ])
})

it('is its own user on an engine without root, where that user is root inside, and nobody else owns files', () => {
  expect(containerFor(workspace, { ...furnishing, facts: { ...facts, isRootless: true } }).User).toBe('0:0')
})

it('does without the engine’s other users, for whom our files would be nobody’s', () => {
  const { User, HostConfig } = containerFor(workspace, {
    ...furnishing,
    facts: { ...facts, remapsUsers: true },
  })
  expect(User).toBe('1000:1000')
  expect(HostConfig).toMatchObject({ UsernsMode: 'host' })
})
