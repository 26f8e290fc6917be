import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'

export interface Scratch {
  /** Nobody else's. When it could not be made there is nothing at it. */
  path: string
  close(): void
}

/** A new folder in this one, out of which all is taken that killed hosts have left there. Without room for it we still have to start. */
export function openScratch(folder: string, log: (line: string) => void): Scratch {
  const attempt = (work: () => void) => {
    try {
      work()
    } catch (error) {
      log(`The folder for kept outputs: ${String(error)}`)
    }
  }
  let path = join(folder, 'host')
  attempt(() => rmSync(folder, { recursive: true, force: true }))
  attempt(() => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    path = mkdtempSync(join(folder, 'host-'))
  })
  // Only its own: the next host may have come already.
  return { path, close: () => attempt(() => rmSync(path, { recursive: true, force: true })) }
}
