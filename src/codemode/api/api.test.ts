import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Tool } from '#contract/tool.ts'
import { CheckProject } from '../check/project.ts'
import { suggested } from '../check/suggest.ts'
import { CodeFailed } from '../port.ts'
import { ApiWriter } from './api.ts'
import { readDefinitions } from './definitions-folder.ts'

const tool = (name: string, inputSchema: Record<string, unknown> = {}, more: Partial<Tool> = {}): Tool => ({
  name,
  wireName: name.replace('.', '__'),
  description: '',
  inputSchema,
  annotations: {},
  source: 'test',
  version: '1',
  tags: [],
  deprecated: false,
  definition: 'pinned',
  ...more,
})
const issue = tool('github.create_issue', {
  type: 'object',
  properties: {
    title: { type: 'string' },
    labels: { type: 'array', items: { type: 'string' } },
    milestone: { type: ['number', 'null'] },
  },
  required: ['title'],
})
const close = tool('github.close-issue', {
  $ref: '#/$defs/args',
  $defs: { args: { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] } },
})

let project: CheckProject
let folder: string
beforeAll(() => {
  project = new CheckProject()
  folder = mkdtempSync(join(tmpdir(), 'signalbox-declarations-'))
})
afterAll(() => {
  project.close()
  rmSync(folder, { recursive: true })
})

describe('the API of tools', () => {
  it('is known by what it is made of', () => {
    const writer = new ApiWriter()
    const api = writer.api([issue, close])
    expect(writer.api([{ ...issue }, close])).toBe(api)
    expect(writer.api([{ ...issue, description: 'New' }, close]).hash).not.toBe(api.hash)
    expect(writer.written(api.hash)).toBe(api)
  })

  it('is told whole, by namespace and by tool', () => {
    const api = new ApiWriter().api([issue, close, tool('slack.post')])
    expect(api.pathOf('github.close-issue')).toBe('mcp.github.closeIssue')
    expect(api.toolOf('github.closeIssue')).toBe('github.close-issue')
    expect(api.toolOf('github.close-issue')).toBe('github.close-issue')
    expect(api.toolOf('github.createIssue')).toBe('github.create_issue')
    expect(api.toolOf('github.then')).toBeUndefined()
    expect(api.toolText('github.close-issue')).toBe(
      'closeIssue(id: number): Promise<any>\ncloseIssue(args: { id: number }): Promise<any>',
    )
    expect(api.namespaceText('github')).toContain('interface GithubTools {')
    expect(api.namespaceText('github')).not.toContain('post')
    expect(api.namespaceText('nobody')).toBeUndefined()
  })

  it('says what was meant by values without names', () => {
    const api = new ApiWriter().api([issue, close, tool('a.none')])
    const argsOf = (...given: unknown[]) => api.argsOf('github.create_issue', given)
    expect(argsOf({ title: 'a' })).toEqual({ title: 'a' })
    expect(argsOf('a', ['b'])).toEqual({ title: 'a', labels: ['b'] })
    expect(argsOf('a', null, 5)).toEqual({ title: 'a', milestone: 5 })
    expect(argsOf('a', null, null)).toEqual({ title: 'a', milestone: null })
    expect(argsOf()).toEqual({})
    expect(api.argsOf('github.close-issue', [5])).toEqual({ id: 5 })
    expect(() => argsOf('a', [], 1, 2)).toThrow(
      'mcp.github.create_issue takes one object { title, labels?, milestone? }, or at most 3 values in this order: title, labels?, milestone?',
    )
    expect(() => api.argsOf('a.none', ['x'])).toThrow(CodeFailed)
  })

  it('tells what results looked like, where nothing was declared', () => {
    const writer = new ApiWriter()
    const before = writer.api([issue]).hash
    writer.observe('github.create_issue', { id: 1, title: 'a', tags: [], by: null })
    writer.observe('github.create_issue', { id: 2, tags: ['x', null], by: { name: 'me' } })
    const api = writer.api([issue])
    expect(api.hash).not.toBe(before)
    expect(api.text).toContain(
      'Promise<{ id: number; title?: string; tags: (null | string)[]; by: { name: string } | null }>',
    )
    const declared = writer.api([
      { ...issue, outputSchema: { type: 'object', properties: { id: { type: 'string' } } } },
    ])
    expect(declared.text).toContain('Promise<{ id?: string }>')
  })

  it('tells no names that are data', () => {
    const writer = new ApiWriter()
    writer.observe('github.create_issue', { byMail: { 'me@example.com': 1 }, byId: { u20481: 1 } })
    expect(writer.api([issue]).text).toContain('Promise<{ byMail: any; byId: any }>')
    writer.observe('slack.post', Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`k${at}`, 1])))
    expect(writer.api([tool('slack.post')]).text).toContain('Promise<any>')
  })

  it('is refined by hand, and not broken by it', async () => {
    const files = {
      github:
        'interface Issue { id: number; url: `https://${string}` }\ninterface GithubTools {\n  /** By hand. */\n  create_issue(args: { title: string }): Promise<Issue>\n}\n',
      slack: 'interface SlackTools { post(given: Nowhere): Promise<void> }',
      modules: 'export interface ModulesTools { a(): Promise<void> }\nexport type A = 1',
      syntax: 'interface SyntaxTools { a(',
      other: 'interface Issue { id: string }',
    }
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `${name}.d.ts`), text)
    const notes: string[] = []
    const definitions = await readDefinitions(
      folder,
      async (text) => project.checkDeclarations(text),
      (note) => notes.push(note),
    )
    expect([...definitions.keys()]).toEqual(['github'])
    expect(notes).toHaveLength(4)
    expect(notes.join('\n')).toContain("slack.d.ts are left out: line 1: Cannot find name 'Nowhere'")
    const writer = new ApiWriter()
    writer.define(definitions)
    const api = writer.api([issue, close, tool('slack.post')])
    expect(project.checkDeclarations(api.text)).toEqual([])
    expect(api.toolText('github.create_issue')).toBe(
      '/** By hand. */\ncreate_issue(args: { title: string }): Promise<Issue>',
    )
    const { types } = project.check(
      api.text,
      'const { url } = await mcp.github.create_issue({ title: "a" })\nconst all: string = url\nawait mcp.github.closeIssue(5)\nawait mcp.github.create_issue("a")',
    )
    expect(types).toMatchObject([{ line: 4 }])
  })

  it('has nothing by hand where there is no folder', async () => {
    const none = await readDefinitions(
      join(folder, 'nowhere'),
      async () => [],
      () => undefined,
    )
    expect(none.size).toBe(0)
  })
})

describe('what may have been meant', () => {
  const writer = new ApiWriter()
  const api = writer.written(writer.api([issue, close, tool('slack.post')]).hash)!
  const told = (code: string) => {
    const { types } = project.check(api.text, code)
    return types
      .map((one) => suggested(one, code, api))
      .map(({ message, suggestion }) => `${message} | ${suggestion}`)
  }

  it.each([
    [
      'mcp.github.create_isue({ title: "a" })',
      'There is no tool create_isue in mcp.github | Did you mean mcp.github.create_issue?',
    ],
    [
      'mcp\n  .github\n  .wholly()',
      'There is no tool wholly in mcp.github | mcp.github has create_issue, closeIssue.',
    ],
    [
      'mcp.githob.x()',
      'mcp: nothing is registered under that name, or the code was not granted it | Did you mean mcp.github? What is called githob needs the capability `mcp:githob`.',
    ],
    ['mcp.jira.x()', '| mcp has github, slack. What is called jira needs the capability `mcp:jira`.'],
    [
      'mcp.github.closeIssue()',
      'Expected 1 arguments, but got 0. | It is called as mcp.github.closeIssue(args: { id: number }) or closeIssue(id: number)',
    ],
    ['mcp.github.closeIssue({ id: "5" })', 'It is called as mcp.github.closeIssue(args: { id: number })'],
    ['mcp.github.closeIssue({ di: 5 })', 'It is called as mcp.github.closeIssue(args: { id: number })'],
    ['process.exit()', "Cannot find name 'process'. | Code has neither Node nor a browser around it"],
    [
      'const all = [1]; all.lenght',
      "Property 'lenght' does not exist on type 'number[]'. | Did you mean 'length'?",
    ],
  ])('%s', (code, expected) => {
    expect(told(code).join('\n')).toContain(expected)
  })
})
