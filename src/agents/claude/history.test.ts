import { appendFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { claudeHistory } from './history.ts'

const ref = '56171378-b2ee-4d35-bff5-3951eccaf85b'
const at = '2026-11-16T03:53:00.000Z'
let home = ''
let file = ''

const line = (uuid: string, type: string, content: unknown, more: object = {}) =>
  `${JSON.stringify({ type, uuid, timestamp: at, cwd: '/workspace/app', message: { role: type, content }, ...more })}\n`
const text = (words: string) => [{ type: 'text', text: words }]
const said = (role: string, words: string) => ({ role, text: words, at })

/** In the shape in which Claude Code 2.1.325 leaves its files. */
const session = [
  '{"type":"queue-operation","operation":"enqueue"}\n',
  line('u1', 'user', text('Fix the\nbuild')),
  `${JSON.stringify({ type: 'attachment', uuid: 'a1', attachment: { type: 'environment' } })}\n`,
  line('u2', 'assistant', text('I look.')),
  line('u3', 'assistant', [{ type: 'tool_use', id: 't', name: 'Bash', input: {} }]),
  line('u4', 'user', [{ type: 'tool_result', tool_use_id: 't', content: 'ok' }]),
  `${JSON.stringify({ type: 'attachment', uuid: 'a2', timestamp: at, attachment: { type: 'queued_command', prompt: text('and the tests') } })}\n`,
  'half a li\n',
  line('s1', 'assistant', text('a sub-agent'), { isSidechain: true }),
  line('m1', 'user', 'not for people', { isMeta: true }),
  line('m2', 'user', '<local-command-stdout>Set model</local-command-stdout>'),
  line('m3', 'user', text('[Request interrupted by user]')),
  line('u5', 'assistant', text('Both pass.')),
].join('')

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'claude-history-'))
  const folder = join(home, '.claude/projects/-workspace-app')
  mkdirSync(folder, { recursive: true })
  file = join(folder, `${ref}.jsonl`)
  writeFileSync(file, session)
})
afterEach(() => rmSync(home, { recursive: true }))

it('reads what people and Claude said, and counts what it cannot read', async () => {
  expect(await claudeHistory.readTurns(file)).toEqual({
    turns: [
      said('user', 'Fix the\nbuild'),
      said('assistant', 'I look.'),
      said('user', 'and the tests'),
      said('assistant', 'Both pass.'),
    ],
    mark: 'u5',
    skipped: 1,
  })
})

it('reads on from a mark, and all of it when the mark is of another file', async () => {
  appendFileSync(file, line('u6', 'user', text('Thanks')))
  expect(await claudeHistory.readTurns(file, 'u5')).toMatchObject({
    turns: [said('user', 'Thanks')],
    mark: 'u6',
  })
  expect(await claudeHistory.readTurns(file, 'u6')).toMatchObject({ turns: [], mark: 'u6' })
  expect((await claudeHistory.readTurns(file, 'elsewhere')).turns).toHaveLength(5)
})

it('lists sessions, the newest first, with how often somebody has asked', async () => {
  const other = join(home, '.claude/projects/-workspace-app', '00000000-0000-4000-8000-000000000000.jsonl')
  writeFileSync(other, `${line('x', 'user', text('Later'))}{"type":"summary","summary":"A title"}\n`)
  utimesSync(file, 1_000, 1_000)
  expect(await claudeHistory.listSessions({ HOME: home })).toMatchObject([
    { title: 'A title', turns: 1 },
    {
      ref,
      cwd: '/workspace/app',
      title: 'Fix the build',
      startedAt: at,
      updatedAt: new Date(1_000_000).toISOString(),
      file,
      turns: 2,
    },
  ])
})

it('knows the folder that CLAUDE_CONFIG_DIR names', async () => {
  const env = { HOME: '/nowhere', CLAUDE_CONFIG_DIR: join(home, '.claude') }
  expect(await claudeHistory.listSessions(env)).toHaveLength(1)
})

it('finds nothing where nothing is: no folder, no question, another name', async () => {
  const folder = join(home, '.claude/projects/-workspace-app')
  writeFileSync(file, line('u', 'assistant', text('Nobody asked')))
  writeFileSync(join(folder, 'notes.jsonl'), session)
  expect(await claudeHistory.listSessions({ HOME: home })).toEqual([])
  expect(await claudeHistory.listSessions({ HOME: join(home, 'none') })).toEqual([])
  expect(await claudeHistory.readTurns(join(home, 'none'))).toEqual({ turns: [], mark: null, skipped: 0 })
})
