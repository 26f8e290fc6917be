import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '#config/config.ts'
import { FoundOutside } from '#contract/internal.ts'
import type { OutsideTurn } from '#contract/internal.ts'
import { outsideSessions, outsideTurns } from './outside-sessions.ts'
import type { HistoryReader } from './outside-sessions.ts'

let folder = ''

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-outside-')))
  for (const name of ['history', 'allowed/app', 'other', 'signalbox'])
    mkdirSync(join(folder, name), { recursive: true })
  symlinkSync(join(folder, 'other'), join(folder, 'allowed/link'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
})

/** One file for each session, in the folder that the variable names. */
const reader: HistoryReader = {
  async listSessions(env) {
    const history = env['HISTORY'] ?? '/nowhere'
    return readdirSync(history).map((name) => ({
      ...(JSON.parse(readFileSync(join(history, name), 'utf8')) as { cwd: string; updatedAt: string }),
      ref: name,
      title: name,
      startedAt: '2026-01-01T00:00:00Z',
      turns: 1,
      file: join(history, name),
    }))
  },
  async readTurns(file) {
    const { turns } = JSON.parse(readFileSync(file, 'utf8')) as { turns: OutsideTurn[] }
    return { turns, mark: 'last' }
  },
}

function write(
  name: string,
  cwd: string,
  updatedAt = '2026-01-02T00:00:00Z',
  turns: OutsideTurn[] = [],
): void {
  writeFileSync(join(folder, 'history', name), JSON.stringify({ cwd: join(folder, cwd), updatedAt, turns }))
}

function machine() {
  const env = {
    HOME: folder,
    HISTORY: join(folder, 'history'),
    SIGNALBOX_HOME: join(folder, 'allowed/signalbox'),
    ALLOWED_WORKING_DIRS: join(folder, 'allowed'),
  }
  return { config: loadConfig({ env, cwd: folder }), env }
}
const asked = { key: 'claude' as const, envAllowlist: ['HISTORY'] }

test('only sessions in folders that the machine allows are there, by their real paths, newest first', async () => {
  write('old', 'allowed/app', '2026-01-01T00:00:00Z')
  write('new', 'allowed/app/../app', '2026-01-03T00:00:00Z')
  write('outside', 'other')
  write('through-a-link', 'allowed/link')
  write('gone', 'allowed/gone')
  const found = await outsideSessions(machine(), { claude: reader }, asked)
  expect(found.map(({ ref, cwd }) => [ref, cwd])).toEqual([
    ['new', join(folder, 'allowed/app')],
    ['old', join(folder, 'allowed/app')],
  ])
  expect(await outsideSessions(machine(), {}, asked)).toEqual([])
})

test('what is strange in a history does not spoil the list', async () => {
  write('strange', 'allowed/app', 'long ago')
  const [found] = await outsideSessions(machine(), { claude: reader }, asked)
  expect(FoundOutside.safeParse(found).error).toBeUndefined()
  expect(found).toMatchObject({ updatedAt: '1970-01-01T00:00:00.000Z' })
})

test('what was said is told, and nothing of a session that is not allowed', async () => {
  const turns: OutsideTurn[] = [{ role: 'user', text: 'Hello', at: null }]
  write('here', 'allowed/app', undefined, turns)
  write('outside', 'other', undefined, turns)
  const told = await outsideTurns(machine(), { claude: reader }, { ...asked, ref: 'here' })
  expect(told).toMatchObject({ session: { ref: 'here' }, turns, leftOut: 0, mark: 'last' })
  for (const ref of ['outside', 'never'])
    await expect(outsideTurns(machine(), { claude: reader }, { ...asked, ref })).rejects.toMatchObject({
      code: 'does_not_fit',
    })
})

test('a long history is cut to its end, and one long message to its beginning', async () => {
  const turns = Array.from({ length: 3_000 }, (_, n): OutsideTurn => ({
    role: 'user',
    text: `${n} `.repeat(200),
    at: null,
  }))
  turns.push({ role: 'assistant', text: 'é'.repeat(200_000), at: null })
  write('long', 'allowed/app', undefined, turns)
  const told = await outsideTurns(machine(), { claude: reader }, { ...asked, ref: 'long' })
  expect(told.turns.at(-1)?.text).toBe('é'.repeat(100_000))
  expect(told.turns.at(-2)?.text).toMatch(/^2999 /)
  expect(told.leftOut).toBe(turns.length - told.turns.length)
  expect(told.leftOut).toBeGreaterThan(1_000)
  expect(Buffer.byteLength(JSON.stringify({ data: told }))).toBeLessThan(1_048_576)
})
