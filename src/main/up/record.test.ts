import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { identify } from '#lib/process-identity.ts'
import { openRecord, readRecord } from './record.ts'

const self = identify(process.pid)!

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'signalbox-home-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  return home
}

function openIn(home: string) {
  const warnings: string[] = []
  return {
    warnings,
    record: openRecord(home, { warn: (_: unknown, message?: string) => warnings.push(message ?? '') }),
  }
}

it('tells who runs, where, and with which children', () => {
  const home = newHome()
  const { record } = openIn(home)
  record.setChild({ ...self, name: 'web', startTime: '1' })
  record.setChild({ ...self, name: 'web', startTime: '2' })
  record.setUrl('http://127.0.0.1:4100')
  expect(readRecord(home)).toMatchObject({
    ...self,
    url: 'http://127.0.0.1:4100',
    children: [{ name: 'web', pid: process.pid, startTime: '2' }],
  })
  expect(statSync(join(home, 'up.json')).mode & 0o777).toBe(0o600)
  expect(readdirSync(home)).toEqual(['up.json'])
  record.remove()
  expect(readRecord(home)).toBeUndefined()
})

it('is nothing when it cannot be read', () => {
  const home = newHome()
  writeFileSync(join(home, 'up.json'), '{"pid": "twelve"}')
  expect(readRecord(home)).toBeUndefined()
})

it('does not end what runs when it cannot be written', () => {
  const home = newHome()
  mkdirSync(join(home, 'up.json'))
  const { record, warnings } = openIn(home)
  record.setUrl('http://127.0.0.1:4100')
  expect(warnings).toEqual(['up.json could not be written', 'up.json could not be written'])
  expect(readdirSync(home)).toEqual(['up.json'])
})
