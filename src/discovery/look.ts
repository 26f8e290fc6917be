import { someAtATime } from '#lib/some-at-a-time.ts'
import { classOf } from './classify/class-of.ts'
import { presetOf } from './classify/known-names.ts'
import type { Manual } from './classify/manuals.ts'
import { openManuals } from './classify/manuals.ts'
import { openServices } from './classify/services.ts'
import { dangerOfFile } from './danger.ts'
import { readFileStart } from './file-start.ts'
import type { FileStart } from './file-start.ts'
import { openIdentify } from './identify/identify.ts'
import type { Owner } from './identify/owner.ts'
import type { Places } from './places.ts'
import type { Discovery, SeenProgram } from './port.ts'
import { scan } from './scan.ts'
import type { ScannedFile } from './scan.ts'

const atATime = 32
const progressEvery = 100

/** Stages one to three, one after the other, so that each reads the machine's books once for all programs. */
export function openLook(places: Places, readStart = readFileStart): Discovery['look'] {
  const identify = openIdentify(places)
  const manuals = openManuals(places)
  const services = openServices(places)
  /** What files said of themselves, by the stamp of each. */
  let starts = new Map<string, FileStart>()

  return async (folders, how) => {
    const { files, troubles } = await scan(folders, how)
    how.onProgress?.('identify', 0, files.length)
    const owners = await identify(files)
    how.signal?.throwIfAborted()
    how.onProgress?.('identify', files.length, files.length)
    const [pages, running] = await Promise.all([manuals(), services()])
    const kept = new Map<string, FileStart>()
    let done = 0
    const programs = await someAtATime(files, atATime, async (file) => {
      how.signal?.throwIfAborted()
      const start = starts.get(file.stamp) ?? kept.get(file.stamp) ?? (await readStart(file.realPath))
      kept.set(file.stamp, start)
      const isService = running.has(file.path) || running.has(file.realPath)
      const program = await programOf(file, {
        start,
        owner: owners.get(file.path),
        page: pages(file.name),
        isService,
      })
      done += 1
      if (done % progressEvery === 0 || done === files.length)
        how.onProgress?.('classify', done, files.length)
      return program
    })
    // Only what is still there is kept.
    starts = kept
    return { programs, troubles }
  }
}

interface Known {
  start: FileStart
  owner: Owner | undefined
  page: Manual | undefined
  isService: boolean
}

async function programOf(file: ScannedFile, { start, owner, page, isService }: Known): Promise<SeenProgram> {
  const { path, name, realPath } = file
  const line = (await page?.line()) ?? null
  const verdict = classOf({
    name,
    owner,
    start,
    sections: page?.sections ?? [],
    description: line,
    isService,
  })
  return {
    path,
    name,
    realPath,
    package: owner?.package ?? null,
    packageSource: owner?.source ?? 'none',
    version: owner?.version ?? null,
    description: line ?? owner?.description ?? null,
    class: verdict.class,
    confidence: verdict.confidence,
    preset: verdict.class === 'agent' ? presetOf(name) : null,
    danger: dangerOfFile(file),
  }
}
