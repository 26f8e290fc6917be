import { liveState } from './connection.ts'

/** This page is of another build than the server: its files are gone for good. */
export class Outdated extends Error {}

type Priority = 'high' | 'low'
const arrivals = new Map<string, Promise<void>>()
let asked: string[] | null = null

/**
 * Stands in the place of every import() of the page (see vite.config.ts): some browsers remember for ever that an import failed, so
 * nothing is imported before it and all that it imports have arrived, however long the server is away.
 */
export async function importWithFiles<Module>(
  load: () => Promise<Module>,
  files: string[] = [],
): Promise<Module> {
  asked?.push(...files)
  if (asked) return new Promise(() => {})
  await filesAreHere(files)
  return load()
}

/** What an import would need, without doing it. */
export function filesOf(load: () => Promise<unknown>): string[] {
  const files: string[] = []
  asked = files
  void load()
  asked = null
  return files
}

/** Fetches files into the browser's cache. */
export const filesAreHere = async (files: readonly string[], priority: Priority = 'high'): Promise<void> => {
  await Promise.all(files.map((file) => fetchOnce(file, priority)))
}

const cameWithPage = (file: string) => document.querySelector(`[src="/${file}"], [href="/${file}"]`) !== null

function fetchOnce(file: string, priority: Priority): Promise<void> {
  const arrival =
    arrivals.get(file) ?? (cameWithPage(file) ? Promise.resolve() : fetchFile(`/${file}`, priority))
  arrivals.set(file, arrival)
  return arrival
}

/** What may come before anybody asks for it: what is large may not. The build names it in the page. */
const forIdle = () =>
  document.querySelector<HTMLMetaElement>('meta[name=idle-files]')?.content.split(' ') ?? []

/** Fetches what may be needed later, once what is needed now has arrived. Answers whether an import has all it needs then. */
export async function idleFilesAreHere(): Promise<(load: () => Promise<unknown>) => boolean> {
  await Promise.allSettled(arrivals.values())
  await filesAreHere(forIdle(), 'low')
  return (load) => filesOf(load).every((file) => arrivals.has(file) || cameWithPage(file))
}

async function fetchFile(path: string, priority: Priority): Promise<void> {
  for (let failures = 0; ; failures += 1) {
    const status = await fetch(path, { priority }).then(read, () => 0)
    if (status === 200) return path.endsWith('.css') ? applyStyles(path) : undefined
    if (status === 404) throw new Outdated(path)
    await liveOrAfter(Math.min(5000, 250 * 2 ** failures))
  }
}

/** A file whose end is missing is not there. */
const read = (answer: Response) =>
  answer.blob().then(
    () => answer.status,
    () => 0,
  )

function applyStyles(path: string): Promise<void> {
  const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: path })
  document.head.append(link)
  return new Promise((resolve) => link.addEventListener('load', () => resolve(), { once: true }))
}

function liveOrAfter(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      clearTimeout(timer)
      stop()
      resolve()
    }
    const timer = setTimeout(go, ms)
    const stop = liveState.subscribe(() => liveState.get() === 'live' && go())
  })
}
