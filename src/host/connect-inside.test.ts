import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { acceptsInside, connectInside } from './connect-inside.ts'

const script = join(import.meta.dirname, '../../test/support/full-port.cjs')

let folder: string
let port: number
let exited: Promise<unknown>

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'full-port-'))
  const child = spawn(process.execPath, [script, '0', join(folder, 'end')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  exited = new Promise((resolve) => child.once('exit', resolve))
  port = Number(await new Promise((resolve) => createInterface(child.stdout).once('line', resolve)))
})
afterEach(async () => {
  writeFileSync(join(folder, 'end'), '')
  await exited
  rmSync(folder, { recursive: true })
})

it('gives up a port that neither takes nor refuses', async () => {
  await expect(connectInside(port)).rejects.toThrow(`Nothing listens on port ${port}`)
  expect(await acceptsInside(port)).toBe(false)
}, 40_000)
