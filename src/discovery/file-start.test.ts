import { execFileSync } from 'node:child_process'
import { truncate } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { elfLinkedTo } from '../../test/support/discovery/made-elf.ts'
import { makeMachine } from '../../test/support/discovery/made-machine.ts'
import { readFileStart } from './file-start.ts'

test('what this very program is linked against, as the system’s own reader has it', async ({ skip }) => {
  const told = read('readelf', '-d', process.execPath) ?? skip('there is no readelf here')
  const expected = [...told.matchAll(/\(NEEDED\).*\[(.*)\]/g)].map(([, name]) => name)
  const { kind, libraries } = await readFileStart(process.execPath)
  expect(kind).toBe('binary')
  expect(libraries).toEqual(expected)
  expect(libraries.length).toBeGreaterThan(1)
})

test('the files that tests make up are such as others can read', async ({ skip }) => {
  await using machine = await makeMachine()
  const path = await machine.put('made', elfLinkedTo(['libncursesw.so.6', 'libc.so.6']))
  expect((await readFileStart(path)).libraries).toEqual(['libncursesw.so.6', 'libc.so.6'])
  const told = read('readelf', '-d', path) ?? skip('there is no readelf here')
  expect(told).toContain('[libncursesw.so.6]')
})

test.each([
  ['#!/bin/sh -e\n', 'script', 'sh'],
  ['#! /usr/bin/env python3\n', 'script', 'python3'],
  ['#!/usr/bin/env -S VAR=1 node --flag\n', 'script', 'node'],
  ['#!', 'script', ''],
  ['echo hello\n', 'other', null],
  ['', 'other', null],
  ['\xcf\xfa\xed\xfe and more', 'binary', null],
])('%j', async (content, kind, interpreter) => {
  await using machine = await makeMachine()
  const path = await machine.put('file', Buffer.from(content, 'latin1'))
  expect(await readFileStart(path)).toMatchObject({ kind, interpreter })
})

test('files that lie about themselves, and such as cannot be read', async () => {
  await using machine = await makeMachine()
  const good = elfLinkedTo(['libncursesw.so.6', 'libc.so.6'])
  for (let at = 0; at < good.length; at += 1) {
    const lying = Buffer.from(good)
    lying.fill(0xff, at, Math.min(at + 8, good.length))
    const path = await machine.put('lying', lying)
    const { libraries } = await readFileStart(path)
    expect(libraries.length).toBeLessThan(200)
    await truncate(path, at)
    await readFileStart(path)
  }
  const boasting = Buffer.from(good)
  boasting.writeUInt16LE(0xffff, 56)
  expect((await readFileStart(await machine.put('boasting', boasting))).libraries).toEqual([])
  execFileSync('mkfifo', [`${machine.root}/pipe`])
  expect((await readFileStart(`${machine.root}/pipe`)).kind).not.toBe('binary')
  expect((await readFileStart(machine.root)).kind).toBe('unreadable')
  expect((await readFileStart('/nowhere')).kind).toBe('unreadable')
})

function read(program: string, ...args: string[]): string | undefined {
  try {
    return execFileSync(program, args, { stdio: ['ignore', 'pipe', 'ignore'] }).toString()
  } catch {
    return undefined
  }
}
