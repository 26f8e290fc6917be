import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openScratch } from './scratch.ts'

let base: string
let log: string[]
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'scratch-'))
  log = []
})
afterEach(() => rmSync(base, { recursive: true }))

const open = (folder: string) => openScratch(folder, (line) => log.push(line))

it('is empty and private, whatever a killed host has left, and goes when it is closed', () => {
  const folder = join(base, '.signalbox')
  mkdirSync(join(folder, 'host-old'), { recursive: true })
  writeFileSync(join(folder, 'host-old/output-1'), 'x')
  const scratch = open(folder)
  expect(readdirSync(folder).map((name) => join(folder, name))).toEqual([scratch.path])
  for (const path of [folder, scratch.path]) expect(statSync(path).mode & 0o777).toBe(0o700)
  writeFileSync(join(scratch.path, 'output-2'), 'x')
  scratch.close()
  expect(existsSync(scratch.path)).toBe(false)
})

it('leaves alone what the next one has', () => {
  const first = open(join(base, '.signalbox'))
  const next = open(join(base, '.signalbox'))
  first.close()
  expect(existsSync(next.path)).toBe(true)
})

it('follows no link that somebody has put there', () => {
  mkdirSync(join(base, 'precious'))
  writeFileSync(join(base, 'precious/file'), 'x')
  symlinkSync(join(base, 'precious'), join(base, '.signalbox'))
  open(join(base, '.signalbox'))
  expect(readdirSync(join(base, 'precious'))).toEqual(['file'])
})

it('is missed by nobody who has to start without it', () => {
  writeFileSync(join(base, 'file'), '')
  const scratch = open(join(base, 'file/.signalbox'))
  expect(existsSync(scratch.path)).toBe(false)
  expect(log.join()).toContain('ENOTDIR')
  scratch.close()
})
