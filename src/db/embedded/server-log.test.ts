import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openServerLog } from './server-log.ts'

function newLog() {
  const home = mkdtempSync(join(tmpdir(), 'signalbox-home-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const log = openServerLog(home)
  closeSync(log.open())
  return { log, folder: join(home, 'logs'), file: join(home, 'logs/postgres.log') }
}

it('tells what was written since it was opened, and by whom', () => {
  const { log, file } = newLog()
  writeFileSync(
    file,
    'at [12] LOG:  a\nat [13] LOG:  b\nat [12] FATAL:  the database system is starting up\n',
  )
  expect(log.linesOf(13)).toBe('at [13] LOG:  b')
  expect(log.lastLines()).toBe('at [12] LOG:  a\nat [13] LOG:  b')
})

it('is emptied when it has grown too large', () => {
  const { log, file } = newLog()
  truncateSync(file, 20 * 1024 ** 2)
  log.keepBounded()
  expect(statSync(file).size).toBe(20 * 1024 ** 2)
  truncateSync(file, 20 * 1024 ** 2 + 1)
  log.keepBounded()
  expect(statSync(file).size).toBe(0)
})

it('ends nobody when somebody takes it away, or puts something else in its place', () => {
  const { log, folder, file } = newLog()
  rmSync(folder, { recursive: true })
  log.keepBounded()
  expect([log.lastLines(), log.linesOf(12)]).toEqual(['', ''])
  writeFileSync(folder, '')
  log.keepBounded()
  expect([log.lastLines(), log.linesOf(12)]).toEqual(['', ''])
  rmSync(folder)
  mkdirSync(folder)
  symlinkSync(file, file)
  log.keepBounded()
  expect([log.lastLines(), log.linesOf(12)]).toEqual(['', ''])
})
