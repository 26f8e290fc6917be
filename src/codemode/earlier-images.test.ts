import { expect, test } from 'vitest'
import { EarlierImages } from './earlier-images.ts'
import { imageOf } from './sandbox/image.ts'
import { storedImage } from './sandbox/stored-image.ts'

const absent = 'an image that is not here'
const places = { undefined: 0, scratch: 0, begin: 0, settle: 0, taken: 0 }
const imageWith = (byte: number) => imageOf(Uint8Array.of(byte), new Uint8Array(8_192).fill(byte), 0, places)

test('a few earlier images are kept, those that were used last', async () => {
  const made = [1, 2, 3, 4, 5].map(imageWith)
  const stored = await Promise.all(made.map(storedImage))
  const images = new EarlierImages()
  const hashes = made.map(({ hash }) => hash)
  const [first = '', second = '', third = ''] = hashes
  await expect(images.of(first)).rejects.toThrow(absent)
  for (const one of stored.slice(0, 4)) expect((await images.of(one.hash, one)).hash).toBe(one.hash)
  const kept = await images.of(first)
  expect(await images.of(first, stored[0])).toBe(kept)
  await images.of(hashes.at(-1) ?? '', stored.at(-1))
  await expect(images.of(second)).rejects.toThrow(absent)
  expect(await images.of(first)).toBe(kept)
  expect((await images.of(third)).hash).toBe(third)
})

test('one that cannot be read is not kept, and is read again from what is whole', async () => {
  const image = imageWith(1)
  const stored = await storedImage(image)
  const images = new EarlierImages()
  const damaged = { ...stored, bytes: stored.bytes.slice(0, 20) }
  await expect(images.of(image.hash, damaged)).rejects.toThrow('unexpected end of file')
  expect((await images.of(image.hash, stored)).hash).toBe(image.hash)
})
