import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { msToWait, untilItCanLoad } from './gemini-minute.ts'

const ref = '52f3b9dc-ae53-4132-9aee-1352ec9f1071'
const file = 'session-2026-11-16T03-54-52f3b9dc.jsonl'

it('waits for the end of the minute in which the session began, and no longer', () => {
  expect(msToWait([file], ref, new Date('2026-11-16T03:54:40.000Z'))).toBe(20_100)
  expect(msToWait([file], ref, new Date('2026-11-16T03:55:00.000Z'))).toBe(0)
  expect(msToWait([], ref, new Date('2026-11-16T03:54:40.000Z'))).toBe(0)
  expect(msToWait([file], `9${ref.slice(1)}`, new Date('2026-11-16T03:54:40.000Z'))).toBe(0)
})

it('finds the file in whichever project', async () => {
  const home = mkdtempSync(join(tmpdir(), 'gemini-'))
  const chats = join(home, '.gemini/tmp/shop/chats')
  mkdirSync(chats, { recursive: true })
  expect(await untilItCanLoad({ HOME: home }, ref)).toBe(0)
  // Whatever minute it is, and is by then.
  for (const ms of [0, 60_000]) {
    const minute = new Date(Date.now() + ms).toISOString().slice(0, 16).replaceAll(':', '-')
    writeFileSync(join(chats, `session-${minute}-52f3b9dc.jsonl`), '')
  }
  expect(await untilItCanLoad({ HOME: home }, ref)).toBeGreaterThan(0)
  rmSync(home, { recursive: true })
})
