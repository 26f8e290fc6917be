import { expect, test } from 'vitest'
import { dueStep, readScript } from './script.ts'

test('reads the marks of a prompt in order', () => {
  const prompt = 'Please [[bash:touch "a b.txt"]] then [[call:say_back {"text":"hi"}]], and [[text:Done.]]'
  expect(readScript(prompt)).toEqual([
    { type: 'bash', command: 'touch "a b.txt"' },
    { type: 'call', tool: 'say_back', input: { text: 'hi' } },
    { type: 'text', text: 'Done.' },
  ])
  expect(() => readScript('[[dance]]')).toThrow('knows no [[dance]]')
})

test('every result of a tool is a step done', () => {
  const script = readScript('[[bash:one]] [[bash:two]] [[slow:5]]')
  expect([0, 1, 2, 3].map((results) => dueStep(script, results, 0))).toEqual([
    { type: 'bash', command: 'one' },
    { type: 'bash', command: 'two' },
    { type: 'slow', count: 5 },
    { type: 'text', text: 'That is all.' },
  ])
})

test('refuses as often as it is told to, or for ever', () => {
  const twice = readScript('[[status:500 2]] [[drop:1]] [[text:Better.]]')
  expect([0, 1, 2, 3].map((refused) => dueStep(twice, 0, refused).type)).toEqual([
    'status',
    'status',
    'drop',
    'text',
  ])
  expect(dueStep(readScript('[[status:401]] [[text:Never.]]'), 0, 99)).toMatchObject({ status: 401 })
})
