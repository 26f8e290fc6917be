import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { AuditRecord } from '#contract/audit.ts'
import { openAuditFile } from './audit-file.ts'
import type { Noted } from './audit-file.ts'

const entry = (subject: string): Noted => ({
  kind: 'egress',
  workspaceId: '01890000-0000-7000-8000-000000000001',
  sessionId: null,
  subject,
  outcome: 'ok',
  detail: {},
  durationMs: null,
})

function place(): string {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-audit-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'audit.ndjson')
}

const linesIn = (file: string) => readFileSync(file, 'utf8').split('\n').slice(0, -1)
const told = (file: string) =>
  linesIn(file).map((line) => {
    const { offset, subject } = AuditRecord.parse(JSON.parse(line))
    return `${offset} ${subject}`
  })

test('every line is in the file when it is noted, with offsets from 1 and without gaps', () => {
  const file = place()
  const audit = openAuditFile(file)
  expect(audit.note(entry('a:443'))).toBe(1)
  expect(told(file)).toEqual(['1 a:443'])
  expect(audit.note(entry('b:443'))).toBe(2)
  expect(told(file)).toEqual(['1 a:443', '2 b:443'])
  audit.close()
})

test('one that is opened again goes on where it was, and drops the half of a line', () => {
  const file = place()
  const before = openAuditFile(file)
  before.note(entry('a:443'))
  before.close()
  appendFileSync(file, '{"offset":2,"at":"2026')
  const audit = openAuditFile(file)
  audit.note(entry('b:443'))
  audit.close()
  expect(told(file)).toEqual(['1 a:443', '2 b:443'])
})

test('what cannot be written throws and leaves nothing, and what has happened already is written first later', () => {
  const file = place()
  const audit = openAuditFile(file)
  audit.note(entry('a:443'))
  const [line = ''] = linesIn(file)
  audit.close()
  // Room for one more line, until somebody makes more.
  const full = openAuditFile(file, line.length * 2 + 10)
  full.note(entry('b:443'))
  expect(() => full.note(entry('c:443'))).toThrow('is full')
  full.noteInTime(entry('d:443'))
  expect(() => full.note(entry('e:443'))).toThrow('is full')
  expect(told(file)).toEqual(['1 a:443', '2 b:443'])
  full.close()
})

test('a full disk leaves no half of a line behind', () => {
  const audit = openAuditFile('/dev/full')
  expect(() => audit.note(entry('a:443'))).toThrow(/ENOSPC|EINVAL/)
  audit.noteInTime(entry('b:443'))
  audit.close()
})
