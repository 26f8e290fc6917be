import { afterEach, describe, expect, test } from 'vitest'
import {
  agent,
  failureOf,
  namesFor,
  noHands,
  offered,
  openOnce,
  owner,
  scriptedSource,
  settings,
  user,
} from './fixtures/registry.ts'
import type { Caller } from './port.ts'

const { registryWith, withSource, closeAll } = openOnce()
afterEach(closeAll)

describe('who may', () => {
  test.each<[string[], Caller, boolean]>([
    [[], owner, true],
    [[], user, false],
    [[], agent, false],
    [['*'], user, true],
    [['*'], agent, true],
    [['users'], user, true],
    [['users'], agent, false],
    [['agents'], user, false],
    [['agents'], agent, true],
    [['u1'], user, true],
    [['ada'], user, true],
    [['u1'], agent, false],
    [['a1'], agent, true],
    [['agent:a1'], agent, true],
    [['claude'], agent, true],
    [['codex', 'u2'], agent, false],
  ])('granted to %j: %j %j', async (grants, caller, may) => {
    const { registry, call, notes } = withSource({ grants })
    expect(namesFor(registry, caller)).toEqual(may ? ['github.get'] : [])
    expect(registry.find(caller, 'github__get') !== undefined).toBe(may)
    expect(registry.search(caller, 'get', 5)).toHaveLength(may ? 1 : 0)
    expect(registry.sources(caller)).toHaveLength(may ? 1 : 0)
    await failureOf(call(caller))
    expect(notes[0]).toMatchObject(may ? { outcome: 'ok' } : { code: 'tool_not_found' })
  })

  test('what is not granted is told in the same words as what is not there', async () => {
    const { registry, call } = withSource({ grants: [] })
    const hidden = await failureOf(call(agent))
    const nothing = await failureOf(registry.call(agent, 'gitlab.get', {}, noHands()))
    expect(String(hidden).replace('github', 'gitlab')).toBe(String(nothing))
  })

  test('an agent uses what it is allowed, and is told what it lacks', async () => {
    const { registry } = registryWith()
    const { source, told } = scriptedSource('github', [offered('get_issue'), offered('delete_repo')])
    registry.put(source, settings())
    const limited = { ...agent, allowedTools: ['github.get_*', 'create_task'] }
    expect(namesFor(registry, limited)).toEqual(['github.get_issue'])
    expect(await failureOf(registry.call(limited, 'github.delete_repo', {}, noHands()))).toMatchObject({
      reason: 'tool_not_granted',
      message: expect.stringContaining('allowedTools'),
    })
    await registry.call(limited, 'github__get_issue', {}, noHands())
    expect(told.calls).toHaveLength(1)
    expect(registry.search(limited, 'delete', 5)).toEqual([])
    expect(registry.sources({ ...agent, allowedTools: ['slack.*'] })).toEqual([])
  })

  test('a source offers only the tools that its owner wants, and each only to whom it is for', () => {
    const { registry } = registryWith()
    const tools = [
      offered('get'),
      offered('delete'),
      offered('mine', { isFor: (caller) => caller.kind === 'agent' }),
    ]
    registry.put(scriptedSource('github', tools).source, settings({ tools: ['g*', 'mine'] }))
    expect(namesFor(registry, owner)).toEqual(['github.get'])
    expect(namesFor(registry, agent)).toEqual(['github.get', 'github.mine'])
    expect(registry.find(owner, 'github.mine')).toBeUndefined()
  })
})
