import { appendFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { geminiHistory } from './history.ts'

let home: string
let chats: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'gemini-'))
  chats = join(home, '.gemini/tmp/shop/chats')
  mkdirSync(chats, { recursive: true })
  writeFileSync(join(home, '.gemini/tmp/shop/.project_root'), '/workspace/shop')
})
afterEach(() => rmSync(home, { recursive: true }))

const at = (second: number) => `2026-11-16T03:54:${String(second).padStart(2, '0')}.000Z`
const message = (id: string, type: string, text: string, second: number) => ({
  id,
  timestamp: at(second),
  type,
  content: type === 'user' ? [{ text }] : text,
})
const preamble = message('p', 'user', '<session_context>\nThis is the Gemini CLI.</session_context>', 1)
const metadata = {
  sessionId: '52f3b9dc-ae53',
  projectHash: '3a8b',
  startTime: at(0),
  lastUpdated: at(0),
  kind: 'main',
}

const lines = (...records: object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('')

function writeSession(): string {
  const file = join(chats, 'session-2026-11-16T03-54-52f3b9dc.jsonl')
  const toolResult = {
    ...message('t', 'user', '', 4),
    content: [{ functionResponse: { name: 'run_shell_command' } }],
  }
  const records = lines(
    metadata,
    { $set: { messages: [preamble], lastUpdated: at(1) } },
    message('u1', 'user', 'Make\n  a file', 2),
    message('g1', 'gemini', 'I will', 3),
    { ...message('g1', 'gemini', 'I will use a tool.', 3), toolCalls: [{ name: 'run_shell_command' }] },
    toolResult,
    message('g2', 'gemini', 'All is well.', 5),
    message('i1', 'info', 'A new version is there', 6),
    { $set: { lastUpdated: at(6) } },
  )
  writeFileSync(file, `${records}not json\n`)
  return file
}

it('finds sessions with what was asked first, where, and when', async () => {
  const file = writeSession()
  expect(await geminiHistory.listSessions({ HOME: home })).toEqual([
    {
      ref: '52f3b9dc-ae53',
      cwd: '/workspace/shop',
      title: 'Make a file',
      startedAt: at(0),
      updatedAt: at(6),
      file,
      turns: 1,
    },
  ])
  expect(await geminiHistory.listSessions({ HOME: join(home, 'nowhere') })).toEqual([])
})

it('leaves out what nobody asked anything in, links, and folders of unknown projects', async () => {
  writeFileSync(join(chats, 'session-empty.jsonl'), lines(metadata, { $set: { messages: [preamble] } }))
  const elsewhere = join(home, 'elsewhere.jsonl')
  writeFileSync(elsewhere, lines(metadata, message('u', 'user', 'secret', 1)))
  symlinkSync(elsewhere, join(chats, 'session-link.jsonl'))
  mkdirSync(join(home, '.gemini/tmp/3a8bdaa7/chats'), { recursive: true })
  writeFileSync(
    join(home, '.gemini/tmp/3a8bdaa7/chats/session-old.jsonl'),
    lines(metadata, message('u', 'user', 'hi', 1)),
  )
  expect(await geminiHistory.listSessions({ HOME: home })).toEqual([])
  expect((await geminiHistory.readTurns(join(chats, 'session-link.jsonl'))).turns).toEqual([])
})

it('reads what people and the agent said, and from a mark on only what is new', async () => {
  const file = writeSession()
  const all = await geminiHistory.readTurns(file)
  expect(all).toEqual({
    turns: [
      { role: 'user', text: 'Make\n  a file', at: at(2) },
      { role: 'assistant', text: 'I will use a tool.', at: at(3) },
      { role: 'assistant', text: 'All is well.', at: at(5) },
    ],
    mark: `${at(6)} i1`,
    skipped: 1,
  })
  expect((await geminiHistory.readTurns(file, all.mark!)).turns).toEqual([])
  appendFileSync(file, lines(message('u2', 'user', 'And now?', 10)))
  expect((await geminiHistory.readTurns(file, all.mark!)).turns).toEqual([
    { role: 'user', text: 'And now?', at: at(10) },
  ])
})

it('forgets what was rewound, and does not tell the rest again', async () => {
  const file = writeSession()
  const { mark } = await geminiHistory.readTurns(file)
  appendFileSync(file, lines({ $rewindTo: 'g2' }, message('g3', 'gemini', 'Better.', 12)))
  expect((await geminiHistory.readTurns(file)).turns.map(({ text }) => text)).toEqual([
    'Make\n  a file',
    'I will use a tool.',
    'Better.',
  ])
  expect((await geminiHistory.readTurns(file, mark!)).turns.map(({ text }) => text)).toEqual(['Better.'])
})

it('reads the files of older versions', async () => {
  const file = join(chats, 'session-old.json')
  const messages = [message('u1', 'user', 'Hello', 1), message('g1', 'gemini', 'Hi', 2)]
  writeFileSync(file, JSON.stringify({ ...metadata, summary: 'A greeting', messages }, null, 2))
  expect(await geminiHistory.listSessions({ GEMINI_CLI_HOME: home })).toMatchObject([
    { ref: '52f3b9dc-ae53', title: 'A greeting', turns: 1 },
  ])
  expect((await geminiHistory.readTurns(file)).turns.map(({ text }) => text)).toEqual(['Hello', 'Hi'])
})
