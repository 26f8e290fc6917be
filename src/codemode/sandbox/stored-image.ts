import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompress } from 'node:zlib'
import { imageOf } from './image.ts'
import type { Image, Places } from './image.ts'

/** An image as bytes: a line of JSON, then the module, then the memory; compressed. */
interface Head {
  wasmBytes: number
  stackPointer: number
  places: Places
}

const packed = promisify(zstdCompress)
const unpacked = promisify(zstdDecompress)
const newLine = 10
const mostBytes = 64 * 1024 * 1024

export async function storedImage({ hash, wasm, memory, stackPointer, places }: Image): Promise<{
  hash: string
  bytes: Uint8Array
}> {
  const head: Head = { wasmBytes: wasm.length, stackPointer, places }
  const whole = Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), wasm, Buffer.from(memory)])
  const params = { [constants.ZSTD_c_compressionLevel]: 9 }
  return { hash, bytes: await packed(whole, { params }) }
}

/** Rejects when it is not what its hash says. */
export async function readImage(stored: { hash: string; bytes: Uint8Array }): Promise<Image> {
  const whole = await unpacked(stored.bytes, { maxOutputLength: mostBytes })
  const at = whole.indexOf(newLine) + 1
  const { wasmBytes, stackPointer, places } = JSON.parse(whole.toString('utf8', 0, at)) as Head
  const wasm = Uint8Array.from(whole.subarray(at, at + wasmBytes))
  const image = imageOf(wasm, whole.subarray(at + wasmBytes), stackPointer, places)
  if (image.hash !== stored.hash) throw new Error(`The stored image ${stored.hash} is not what it was`)
  return image
}
