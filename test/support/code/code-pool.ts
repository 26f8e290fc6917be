import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Job, LiveRun, PoolSettings, RunHands } from '#codemode/pool/job.ts'
import { Pool } from '#codemode/pool/pool.ts'
import { makeImage } from '#codemode/sandbox/image.ts'
import type { Image } from '#codemode/sandbox/image.ts'
import type { RunLimits } from '#codemode/sandbox/run.ts'

const MB = 1024 ** 2

export const quickjs = (): Uint8Array =>
  readFileSync(createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm'))

let made: Image | undefined
export const testImage = (): Image => (made ??= makeImage(quickjs(), 16 * MB))

export const limits: RunLimits = {
  cpuMs: 10_000,
  memoryBytes: 8 * MB,
  resultBytes: 2 * MB,
  logBytes: 64 * 1024,
  calls: 2_000,
}

export const openTestPool = (settings: Partial<PoolSettings> = {}, image = testImage()): Pool =>
  new Pool(image, {
    min: 1,
    max: 2,
    idleMs: 30_000,
    mostWaiting: 1_000,
    mostWaitingOfOne: 1_000,
    ...settings,
  })

/** What it answers to code: `echo` its argument, `fail` an error, `never` nothing. */
export const hands: RunHands = {
  call: async (_call, kind, name, given) => {
    const [first] = JSON.parse(given) as unknown[]
    if (kind === 'timer') return first === 0 ? '' : new Promise(() => undefined)
    if (name.endsWith('.never')) return new Promise(() => undefined)
    if (name.endsWith('.fail')) throw Object.assign(new Error('no'), { kind: 'mcp', code: 'MCP_ERROR' })
    return JSON.stringify(first) ?? ''
  },
  log: () => undefined,
}

export const jobOf = (code: string, more: Partial<Job> = {}): Job => ({
  owner: 'somebody',
  limits,
  timeoutMs: 20_000,
  clockMs: 0,
  hands,
  from: {
    code: `(async () => {"use strict";\n${code}\n})`,
    setting: { seed: [1, 2, 3, 4], context: { who: 'me' } },
  },
  ...more,
})

export const runIn = (pool: Pool, code: string, more: Partial<Job> = {}): LiveRun =>
  pool.run(jobOf(code, more))
