import { expect, test } from 'vitest'
import { dueStep, readScript } from './script.ts'
import type { Step } from './script.ts'

const due = (script: Step[], results: number, refused = 0, characters = 0): Step =>
  dueStep(script, { results, refused, characters })

test('reads the marks of a prompt in order', () => {
  const prompt = 'Please [[bash:touch "a b.txt"]] then [[call:say_back {"text":"hi"}]], and [[text:Done.]]'
  expect(readScript(prompt)).toEqual([
    { type: 'bash', command: 'touch "a b.txt"' },
    { type: 'call', tool: 'say_back', input: { text: 'hi' } },
    { type: 'text', text: 'Done.' },
  ])
  expect(() => readScript('[[dance]]')).toThrow('knows no [[dance]]')
  expect(() => readScript('[[calls:nothing]]')).toThrow(SyntaxError)
})

test('brackets in the arguments of calls are no end', () => {
  expect(readScript('[[calls:[["a",{"list":[[1]]}],["b",{}]]]] [[many:2 c {"n":"#"}]]')).toEqual([
    {
      type: 'calls',
      calls: [
        ['a', { list: [[1]] }],
        ['b', {}],
      ],
    },
    {
      type: 'calls',
      calls: [
        ['c', { n: '1' }],
        ['c', { n: '2' }],
      ],
    },
  ])
})

test('what it thinks belongs to what it does next', () => {
  expect(readScript('[[think:Hm.]] [[text:Yes.]] [[text:No.]]')).toEqual([
    { type: 'text', text: 'Yes.', thought: 'Hm.' },
    { type: 'text', text: 'No.' },
  ])
})

test('every result of a tool is a step done', () => {
  const script = readScript('[[bash:one]] [[bash:two]] [[slow:5]]')
  expect([0, 1, 2, 3].map((results) => due(script, results))).toEqual([
    { type: 'bash', command: 'one' },
    { type: 'bash', command: 'two' },
    { type: 'slow', count: 5 },
    { type: 'text', text: 'That is all.' },
  ])
})

test('several calls are one step, whose results come together', () => {
  const script = readScript('[[calls:[["a",{}],["b",{}]]]] [[call:c]] [[text:Done.]]')
  expect([0, 2, 3].map((results) => due(script, results).type)).toEqual(['calls', 'call', 'text'])
  expect(() => due(script, 1)).toThrow('Of 2 calls only 1 were answered')
})

test('refuses as often as it is told to, or for ever', () => {
  const twice = readScript('[[status:500 2]] [[drop:1]] [[garbage:1]] [[text:Better.]]')
  expect([0, 1, 2, 3, 4].map((refused) => due(twice, 0, refused).type)).toEqual([
    'status',
    'status',
    'drop',
    'garbage',
    'text',
  ])
  expect(due(readScript('[[status:401]] [[text:Never.]]'), 0, 99)).toMatchObject({ status: 401 })
  expect(readScript('[[status:429 1 3]]')).toMatchObject([{ status: 429, times: 1, retryAfter: 3 }])
})

test('refuses what is too long, and asks for the same for ever', () => {
  const script = readScript('[[overflow:100]] [[loop:read {}]]')
  expect(due(script, 0, 0, 101).type).toBe('overflow')
  expect([0, 1, 50].map((results) => due(script, results, 0, 100).type)).toEqual(['loop', 'loop', 'loop'])
})
