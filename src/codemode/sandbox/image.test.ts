import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { quickjs, testImage } from '../../../test/support/code/code-pool.ts'
import { makeImage } from './image.ts'
import { readImage, storedImage } from './stored-image.ts'
import { withMemoryLimit } from './wasm.ts'

const image = testImage()

describe('an image', () => {
  test('is the same in every process, at every time', async () => {
    const support = new URL('../../../test/support/code/code-pool.ts', import.meta.url)
    const code = `const { testImage } = await import(${JSON.stringify(support)}); process.stdout.write(testImage().hash)`
    const more = { env: { ...process.env, TZ: 'Asia/Tokyo', LANG: 'de_DE.UTF-8' } }
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], more)
    expect(stdout).toBe(image.hash)
  })

  test('is another one when it may grow larger', () => {
    expect(makeImage(quickjs(), 8 * 1024 ** 2).hash).not.toBe(image.hash)
  })

  test('comes back from what is stored, and is small there', async () => {
    const stored = await storedImage(image)
    expect(await readImage(stored)).toEqual(image)
    expect(stored.bytes.length).toBeLessThan(700_000)
  })

  test('is refused when it is not what its hash says', async () => {
    const { hash } = image
    const other = makeImage(quickjs(), 8 * 1024 ** 2)
    const { bytes } = await storedImage(other)
    await expect(readImage({ hash, bytes })).rejects.toThrow(/not what it was/)
    await expect(readImage({ hash, bytes: new Uint8Array(100) })).rejects.toThrow(/prefix|descriptor/i)
  })
})

test('a module cannot grow beyond what it was given', () => {
  const exports = new WebAssembly.Instance(
    new WebAssembly.Module(withMemoryLimit(quickjs(), 4 * 65_536 * 16)),
    {
      env: new Proxy({}, { get: () => () => 0 }),
      wasi_snapshot_preview1: new Proxy({}, { get: () => () => 0 }),
    },
  ).exports
  const memory = exports['memory'] as WebAssembly.Memory
  expect(() => memory.grow(64)).toThrow(RangeError)
})
