import { CompletionContext } from '@codemirror/autocomplete'
import { javascript } from '@codemirror/lang-javascript'
import { EditorState } from '@codemirror/state'
import { expect, it } from 'vitest'
import { ApiTypes } from './api-types.ts'
import { completeFrom } from './complete.ts'

const api = new ApiTypes(`interface GithubTools {
  /** Creates an issue. */
  create_issue(title: string, labels?: string[], place?: { file: string; line?: number }): Promise<any>
  create_issue(args: { title: string; labels?: string[]; place?: { file: string; line?: number } }): Promise<any>
  /** Lists the open ones. @deprecated */
  list_issues(project: string, label?: "bug" | "wish"): Promise<{ issues: { number: number; title: string }[] }>
  list_issues(args: { /** As owner/name */ project: string; label?: "bug" | "wish"; "odd name"?: boolean }): Promise<{ issues: { number: number; title: string }[] }>
  ping(args?: Record<string, never>): Promise<any>
}
declare const mcp: { github: GithubTools; board: BoardTools }
declare const context: any
/** Only where it is allowed. */
declare function fetch(url: string): Promise<{ status: number; text(): Promise<string> }>`)

/** What is offered where the bar stands. */
function offered(marked: string, explicit = false) {
  const pos = marked.indexOf('|')
  const doc = marked.replace('|', '')
  const state = EditorState.create({ doc, extensions: [javascript({ typescript: true })] })
  return completeFrom(() => api)(new CompletionContext(state, pos, explicit))
}
const labels = (marked: string, explicit = false) =>
  offered(marked, explicit)?.options.map(({ label }) => label) ?? null

it('offers namespaces, then tools, with their words and how they are called', () => {
  expect(labels('const x = mcp.|')).toEqual(['github', 'board'])
  expect(labels('await mcp.github.li|')).toEqual(['create_issue', 'list_issues', 'ping'])
  const tool = offered('mcp.github.|')?.options.find(({ label }) => label === 'create_issue')
  expect(tool).toMatchObject({ type: 'method', info: expect.stringContaining('Creates an issue.') })
  expect(tool?.info).toContain('create_issue(title: string')
  expect(labels('mcp.nothing.|')).toBeNull()
  expect(labels('unknown.|')).toBeNull()
})

it('offers the names of arguments that are not given yet, those that are needed first', () => {
  const found = offered('await mcp.github.list_issues({ | })')
  expect(found?.options.map(({ label }) => label)).toEqual(['project', 'label', 'odd name'])
  expect(found?.options[0]).toMatchObject({ apply: 'project: ', detail: ': string', boost: 2 })
  expect(found?.options[0]?.info).toContain('As owner/name')
  expect(found?.options[2]).toMatchObject({ apply: '"odd name": ' })
  expect(labels('mcp.github.list_issues({ project: "a/b", | })')).toEqual(['label', 'odd name'])
  expect(labels('mcp.github.create_issue({ title: "a", place: { | } })')).toEqual(['file', 'line'])
  expect(labels('mcp.github.create_issue({ title: "a", place: { file: "a", li| } })')).toEqual(['line'])
})

it('offers what a value can be, in quotes and without, by name and by place', () => {
  expect(labels('mcp.github.list_issues({ label: "|" })')).toEqual(['bug', 'wish'])
  expect(labels('mcp.github.list_issues({ label: | })', true)?.slice(0, 2)).toEqual(['"bug"', '"wish"'])
  expect(labels('mcp.github.list_issues("a/b", "|")')).toEqual(['bug', 'wish'])
  expect(labels('const a = "|"')).toBeNull()
})

it('knows what came of a call, through variables, loops and the functions of lists', () => {
  const got = 'const got = await mcp.github.list_issues({ project: "a/b" })\n'
  expect(labels(`${got}got.|`)).toEqual(['issues'])
  expect(labels(`${got}got.issues[0].|`)).toEqual(['number', 'title'])
  expect(labels(`${got}for (const one of got.issues) { one.| }`)).toEqual(['number', 'title'])
  expect(labels(`${got}return got.issues.filter((one) => one.|)`)).toEqual(['number', 'title'])
  expect(labels(`${got}return got.issues.filter((a) => a.number > 1).map((one) => one.|)`)).toEqual([
    'number',
    'title',
  ])
  expect(labels(`${got}{ const got = 5\ngot.| }`)).toBeNull()
  expect(labels('(await fetch("https://a")).|')).toEqual(['status', 'text'])
  expect(labels('const promise = mcp.github.ping()\npromise.|')).toBeNull()
})

it('offers what there is in all when a word is begun, and nothing in comments and texts', () => {
  expect(labels('mc|')).toEqual(['mcp', 'context', 'fetch'])
  expect(labels('|')).toBeNull()
  expect(labels('|', true)).toEqual(['mcp', 'context', 'fetch'])
  expect(labels('// mcp.|')).toBeNull()
})

it('reads past what it does not understand, and shows what is hidden in words', () => {
  const odd = new ApiTypes('interface A { /** a\u202eb */ x(: }\ninterface { }\ndeclare const mcp: { a: A')
  expect(odd.globals.map(({ name }) => name)).toEqual(['mcp'])
  const state = EditorState.create({ doc: 'mcp.a.', extensions: [javascript({ typescript: true })] })
  const found = completeFrom(() => odd)(new CompletionContext(state, 6, false))
  expect(JSON.stringify(found?.options.map(({ info }) => info) ?? [])).not.toContain('\u202e')
})
