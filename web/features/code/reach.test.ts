import { expect, it } from 'vitest'
import { capabilitiesOf, summaryOf, usualReach, withCapability } from './reach.ts'

it('says in words what was filled in', () => {
  expect(capabilitiesOf(usualReach)).toEqual(['mcp:*'])
  const reach = {
    ...usualReach,
    tools: 'some' as const,
    sources: ['github', 'board'],
    hosts: ' a.example \n\n b.example:8443,c.example',
    paths: 'src\nout:rw',
    isReal: true,
  }
  expect(capabilitiesOf(reach)).toEqual([
    'mcp:github',
    'mcp:board',
    'network:a.example',
    'network:b.example:8443',
    'network:c.example',
    'fs:src',
    'fs:out:rw',
    'system:time',
    'system:random',
  ])
  expect(summaryOf(reach)).toBe('tools of 2 sources, 3 hosts, 2 paths, clock')
  expect(summaryOf({ ...usualReach, tools: 'none' })).toBe('nothing')
})

it('adds what a run was refused, and nothing that it does not know', () => {
  const none = { ...usualReach, tools: 'none' as const }
  const after = (capability: string) => {
    const reach = withCapability(none, capability)
    return reach && capabilitiesOf(reach)
  }
  expect(after('network:a.example:80')).toEqual(['network:a.example:80'])
  expect(after('fs:/tmp/a:rw')).toEqual(['fs:/tmp/a:rw'])
  expect(after('mcp:github.delete_issue')).toEqual(['mcp:github'])
  expect(after('system:time')).toEqual(['system:time', 'system:random'])
  expect(after('teleport:moon')).toBeUndefined()
})
