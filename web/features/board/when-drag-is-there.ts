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
    const drag = await import('./drag.ts')
    if (!isOver) detach = attach(drag)
  }
}
