// `node prepare-engine.ts FOLDER`: one engine in this folder, with the images that tests need. Run under a lock, by whoever is first.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testImages } from './docker-images.ts'
import { socketIn, startEngine } from './engine.ts'
import { importImage } from './workspace-image.ts'

const [folder = ''] = process.argv.slice(2)
const done = join(folder, 'has-images')
await startEngine(folder)
if (!existsSync(done)) {
  await importImage(socketIn(folder), testImages.image, { node: process.execPath })
  await importImage(socketIn(folder), testImages.withoutNode, { node: null })
  writeFileSync(done, '')
}
