import { liveState } from './connection.ts'

/** This page is of another build than the server: its files are gone for good. */
export class Outdated extends Error {}

const arrivals: Record<string, Promise<void>> = {}

/**
 * Fetches everything that comes after the first paint into the browser's cache, however long the server is away. What is large
 * has a list of its own. The build names them all in the page (see vite.config.ts).
 */
export function filesAreHere(list = 'part-files'): Promise<void> {
  const files = document.querySelector<HTMLMetaElement>(`meta[name=${list}]`)?.content.split(' ') ?? []
  return (arrivals[list] ??= Promise.all(files.map(fetchFile)).then(() => undefined))
}

async function fetchFile(file: string): Promise<void> {
  for (let failures = 0; ; failures += 1) {
    const status = await fetch(file).then(read, () => 0)
    if (status === 200) return
    if (status === 404) throw new Outdated(file)
    await liveOrAfter(Math.min(5000, 250 * 2 ** failures))
  }
}

/** A file whose end is missing is not there. */
const read = (answer: Response) =>
  answer.blob().then(
    () => answer.status,
    () => 0,
  )

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
