import { expect, test } from 'vitest'
import type { Tool } from '#contract/tool.ts'
import { indexTools } from './search.ts'

const tool = (name: string, more: Partial<Tool> = {}): { tool: Tool } => ({
  tool: {
    name,
    wireName: name,
    description: '',
    inputSchema: {},
    annotations: {},
    source: 's',
    version: '',
    tags: [],
    deprecated: false,
    definition: 'pinned',
    ...more,
  },
})
const everything = () => true
const find = (words: string, ...tools: { tool: Tool }[]) =>
  indexTools(tools)
    .find(words, everything)
    .map(({ entry }) => entry.tool.name)

test('a word in the name counts more than in the title, the tags and the description', () => {
  const tools = [
    tool('s.one', { description: 'Sends an invoice' }),
    tool('s.two', { tags: ['invoice'] }),
    tool('s.three', { title: 'An invoice' }),
    tool('s.invoice'),
    tool('s.other'),
  ]
  expect(find('invoice', ...tools)).toEqual(['s.invoice', 's.three', 's.two', 's.one'])
})

test.each([
  ['pull request', 's.createPullRequest'],
  ['CREATE', 's.createPullRequest'],
  ['html', 's.parseHTMLPage'],
  ['issues', 's.get_issue'],
  ['iss', 's.get_issue'],
  ['größe', 's.size'],
])('%s finds %s', (words, name) => {
  const tools = [
    tool('s.createPullRequest'),
    tool('s.get_issue'),
    tool('s.parseHTMLPage'),
    tool('s.size', { description: 'Die Größe' }),
  ]
  expect(find(words, ...tools)[0]).toBe(name)
})

test('a rare word counts more than one that is everywhere', () => {
  const tools = Array.from({ length: 20 }, (_, at) => tool(`s.get_${at}`))
  expect(find('get weather', ...tools, tool('s.weather'))[0]).toBe('s.weather')
})

test('nothing that cannot be seen is found, and nothing by no words', () => {
  const index = indexTools([tool('s.a_secret'), tool('s.b_secret')])
  const seen = index.find('secret', ({ tool }) => tool.name === 's.b_secret')
  expect(seen.map(({ entry }) => entry.tool.name)).toEqual(['s.b_secret'])
  expect(index.find(' … ', everything)).toEqual([])
  expect(index.find('constructor __proto__', everything)).toEqual([])
})

test('those that are as good as each other come by name', () => {
  expect(find('get', tool('s.get_b'), tool('s.get_a'))).toEqual(['s.get_a', 's.get_b'])
})

test('ten thousand tools are searched in a few milliseconds', () => {
  const verbs = ['get', 'list', 'create', 'update', 'delete']
  const tools = Array.from({ length: 10_000 }, (_, at) =>
    tool(`s${at % 100}.${verbs[at % 5]}_thing_${at}`, {
      description: `Does ${verbs[at % 5]} to thing ${at}`,
    }),
  )
  const index = indexTools(tools)
  index.find('warm', everything)
  const before = process.threadCpuUsage()
  for (let time = 0; time < 10; time += 1) index.find(`create thing ${time}`, everything)
  const eachMs = process.threadCpuUsage(before).user / 1000 / 10
  expect(eachMs).toBeLessThan(100)
})
