import { useEffect } from 'react'
import type { ComponentType, ReactNode } from 'react'
import { Boundary } from './ui/broken.tsx'
import { createStore, useStore } from './store.ts'
import { idleFilesAreHere } from './part-files.ts'

type Part<Props> = { Component: ComponentType<Props> } | { problem: Error } | null

const idle = Promise.withResolvers<(load: () => Promise<unknown>) => boolean>()

/**
 * A component that is fetched after the first paint. Asked for while the server is away, it waits and comes by itself.
 * Unlike React's `lazy` it is drawn at once when it is there, and no failure sticks to it.
 */
export function part<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  Meanwhile?: ComponentType,
): (props: Props) => ReactNode {
  const state = createStore<Part<Props>>(null)
  const begin = once(async () => {
    try {
      state.set({ Component: (await load()).default })
    } catch (error) {
      state.set({ problem: error instanceof Error ? error : new Error(String(error)) })
    }
  })
  void idle.promise.then((isAllHereFor) => (isAllHereFor(load) ? begin() : undefined))

  function Fetched(props: Props) {
    const now = useStore(state)
    useEffect(() => void begin(), [])
    if (!now) return Meanwhile ? <Meanwhile /> : null
    if ('problem' in now) throw now.problem
    return <now.Component {...props} />
  }
  return (props) => (
    <Boundary>
      <Fetched {...props} />
    </Boundary>
  )
}

/** Fetches every part as soon as the browser has nothing better to do: what is here cannot be missing later. */
export function fetchPartsWhenIdle(): void {
  // What is gone for good is told by the parts that are opened.
  const fetchAll = () => void idleFilesAreHere().then(idle.resolve, () => undefined)
  if ('requestIdleCallback' in window) requestIdleCallback(fetchAll, { timeout: 2000 })
  else setTimeout(fetchAll, 200)
}

function once(act: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => (done ??= act())
}
