import { expect, it } from 'vitest'
import {
  asFlag,
  asLines,
  asNumber,
  asNumberOrNothing,
  asText,
  asTextOrNothing,
  changesOf,
  written,
} from './edit-draft.ts'

const before = {
  name: 'git',
  model: null,
  maxTurns: 50,
  maxTokens: null,
  args: ['-a', 'b c'],
  active: true,
  schema: { type: 'object' },
}
const fields = {
  name: asText,
  model: asTextOrNothing,
  maxTurns: asNumber,
  maxTokens: asNumberOrNothing,
  args: asLines,
  active: asFlag,
}
const draft = Object.fromEntries(Object.entries(before).map(([name, value]) => [name, written(value)]))
const changes = (change: Record<string, string>) => changesOf(before, { ...draft, ...change }, fields)

it('sends what was changed, as what it is, and nothing else', () => {
  expect(changes({})).toEqual({})
  expect(
    changes({ name: ' hg ', model: 'm', maxTurns: '7', maxTokens: '9', args: 'x\n\ny z', active: 'false' }),
  ).toEqual({
    name: 'hg',
    model: 'm',
    maxTurns: 7,
    maxTokens: 9,
    args: ['x', 'y z'],
    active: false,
  })
  expect(changes({ args: '' })).toEqual({ args: [] })
  expect(changesOf({ ...before, maxTokens: 9, model: 'm' }, { maxTokens: '', model: ' ' }, fields)).toEqual({
    maxTokens: null,
    model: null,
  })
})

it('leaves what is no number to the server, which says so', () => {
  expect(changes({ maxTurns: 'many', maxTokens: 'few' })).toEqual({ maxTurns: 'many', maxTokens: 'few' })
  expect(changes({ maxTurns: '' })).toEqual({ maxTurns: '' })
})

it('writes a schema as it is read', () => {
  expect(written(before.schema)).toBe('{\n  "type": "object"\n}')
})
