import { closeSync, constants, opendirSync, openSync } from 'node:fs'
import { O_PATH } from '../confined-walk.ts'
import { within } from '../confined-way.ts'
import { chooseNames } from './choose-names.ts'
import type { ChosenNames } from './choose-names.ts'
import { patternOfNames } from './name-pattern.ts'
import { givenUp } from './open-file.ts'
import type { Sought } from './search.ts'
import { Smallest } from './smallest.ts'

const atATime = 2_000

/** Paths of files whose names fit, where there is no ripgrep. Nobody here reads .gitignore: only what is hidden is left out. */
export async function walkNames(sought: Sought): Promise<ReturnType<Smallest['first']>> {
  const { root, below, type, pattern, caseSensitive, limit, signal } = sought
  const found = new Smallest(limit)
  const chosen = chooseNames(
    patternOfNames(type === 'content' ? 'regex' : type, pattern),
    caseSensitive,
    signal,
  )
  const names = below === '.' ? [] : below.split('/')
  const handles: number[] = []
  try {
    for (const name of names) handles.push(openFolder(handles.at(-1) ?? root, name))
    let batch: string[] = []
    for await (const path of pathsIn(handles.at(-1) ?? root, names, sought)) {
      if (batch.push(path) < atATime) continue
      await add(batch, chosen, found)
      batch = []
    }
    await add(batch, chosen, found)
    return found.first()
  } finally {
    for (const handle of handles) closeSync(handle)
    await chosen.close()
  }
}

async function add(batch: string[], chosen: ChosenNames, found: Smallest): Promise<void> {
  for (const path of await chosen.of(batch)) found.add(path)
}

const openFolder = (above: number, name: string): number =>
  openSync(within(above, name), O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW)

/** Every folder is entered by its handle, and no link is followed. What cannot be looked into is left out. */
async function* pathsIn(folder: number, names: readonly string[], sought: Sought): AsyncGenerator<string> {
  if (sought.signal.aborted) throw givenUp()
  for await (const entry of opendirSync(`/proc/self/fd/${folder}`, { bufferSize: 256 })) {
    const isLeftOut = entry.name === '.git' || (entry.name.startsWith('.') && !sought.includeIgnored)
    if (isLeftOut) continue
    if (entry.isFile()) yield [...names, entry.name].join('/')
    if (!entry.isDirectory()) continue
    let below: number | undefined
    try {
      below = openFolder(folder, entry.name)
      yield* pathsIn(below, [...names, entry.name], sought)
    } catch (error) {
      if (sought.signal.aborted) throw error
    } finally {
      if (below !== undefined) closeSync(below)
    }
  }
}
