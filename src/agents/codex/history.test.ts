import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { codexHistory } from './history.ts'

const recorded = join(import.meta.dirname, 'fixtures/rollout.jsonl')
const name = 'rollout-2026-11-16T03-57-15-01a1e280-84ac-7b53-a46f-9f696d63b251.jsonl'

function newHome(): { env: Record<string, string>; day: string } {
  const home = mkdtempSync(join(tmpdir(), 'codex-home-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const day = join(home, '.codex/sessions/2026/11/16')
  mkdirSync(day, { recursive: true })
  return { env: { HOME: home }, day }
}

test('a session is found with where it worked and what it was about', async () => {
  const { env, day } = newHome()
  copyFileSync(recorded, join(day, name))
  expect(await codexHistory.listSessions(env)).toEqual([
    {
      ref: '01a1e280-84ac-7b53-a46f-9f696d63b251',
      cwd: '/workspace/shop',
      title: 'FAKE: sh touch a1.txt ;; sh touch a1.txt ;; text ok',
      startedAt: '2026-11-16T03:57:15.825Z',
      updatedAt: expect.stringMatching(/Z$/),
      file: join(day, name),
      turns: 3,
    },
  ])
  expect(await codexHistory.listSessions({ CODEX_HOME: join(env['HOME']!, '.codex') })).toHaveLength(1)
})

test('no folder, empty files, sub-agents and links are no sessions', async () => {
  expect(await codexHistory.listSessions({ HOME: '/nowhere/at/all' })).toEqual([])
  const { env, day } = newHome()
  writeFileSync(join(day, 'rollout-empty.jsonl'), '')
  symlinkSync(recorded, join(day, 'rollout-link.jsonl'))
  const meta = { id: 'x', cwd: '/w', source: { subagent: 'review' } }
  const line = { type: 'event_msg', payload: { type: 'user_message', message: 'hello' } }
  const lines = [{ type: 'session_meta', payload: meta }, line].map((each) => JSON.stringify(each))
  writeFileSync(join(day, 'rollout-sub.jsonl'), lines.join('\n'))
  expect(await codexHistory.listSessions(env)).toEqual([])
  expect(await codexHistory.readTurns(join(day, 'rollout-link.jsonl'))).toMatchObject({ turns: [] })
})

test('only what people and the agent said is told, and later only what is new', async () => {
  const { day } = newHome()
  const file = join(day, name)
  copyFileSync(recorded, file)
  const first = await codexHistory.readTurns(file)
  expect(first.turns.map(({ role, text }) => `${role}: ${text}`)).toEqual([
    'user: FAKE: sh touch a1.txt ;; sh touch a1.txt ;; text ok',
    'assistant: ok',
    'user: FAKE: tool ping {"msg":"yo"} ;; tool ping {"msg":"yo2"} ;; text ok',
    'assistant: ok',
    'user: FAKE: sh sleep 77 ;; text x',
  ])
  const item = { type: 'UserMessage', content: [{ type: 'text', text: 'and now?' }] }
  appendFileSync(
    file,
    `${JSON.stringify({ timestamp: 'T', payload: { type: 'item_completed', item } })}\n{"broken\n`,
  )
  expect(await codexHistory.readTurns(file, first.mark!)).toEqual({
    turns: [{ role: 'user', text: 'and now?', at: 'T' }],
    mark: String(Number(first.mark) + 2),
    skipped: 1,
  })
})

test('older files have messages of another form', async () => {
  const { day } = newHome()
  const file = join(day, name)
  const events = [
    { type: 'user_message', message: 'hello' },
    { type: 'agent_message', message: 'hi' },
  ]
  writeFileSync(
    file,
    events.map((payload) => JSON.stringify({ timestamp: 'T', type: 'event_msg', payload })).join('\n'),
  )
  expect((await codexHistory.readTurns(file)).turns).toMatchObject([{ text: 'hello' }, { text: 'hi' }])
})
