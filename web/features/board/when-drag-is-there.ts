import type * as Drag from './drag.ts'

/** Attaches dragging once its code is there. It is fetched after the first paint: nobody drags what they do not see. */
export function whenDragIsThere(attach: (drag: typeof Drag) => () => void): () => void {
  let isOver = false
  let detach: (() => void) | undefined
  void load()
  return () => {
    isOver = true
    detach?.()
  }

  async function load(): Promise<void> {
    // Without it everything still moves by menu and keys; that the page is outdated is told by the parts that are opened.
    const drag = await import('./drag.ts').catch(() => null)
    if (drag && !isOver) detach = attach(drag)
  }
}
