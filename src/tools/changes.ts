import type { SourceChange } from './port.ts'

type Listener = (source: string, change: SourceChange) => void

const togetherMs = 20

/** Tells whoever listens. Of what a source says over and over they hear once in a while; notifications pass as they come. */
export function openChanges() {
  const listeners = new Set<Listener>()
  const pending = new Map<string, { source: string; change: SourceChange }>()
  let timer: NodeJS.Timeout | undefined

  const tell = (source: string, change: SourceChange) => {
    for (const listener of listeners) listener(source, change)
  }
  function tellAll() {
    timer = undefined
    const all = [...pending.values()]
    pending.clear()
    for (const { source, change } of all) tell(source, change)
  }

  return {
    on(listener: Listener): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    say(source: string, change: SourceChange) {
      if (change.kind === 'notification') {
        tell(source, change)
        return
      }
      pending.set(`${change.kind} ${source}`, { source, change })
      timer ??= setTimeout(tellAll, togetherMs)
    },
    close() {
      clearTimeout(timer)
      listeners.clear()
    },
  }
}
