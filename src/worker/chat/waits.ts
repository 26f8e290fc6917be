/** Which calls of a turn wait for people. */
export interface Waits {
  begin(toolCallId: string): void
  end(toolCallId: string): void
  /** Somebody is asked for this call, until what it answers with is called. */
  hold(toolCallId: string): () => void
  /** Nothing can be done until somebody answers. */
  isWaiting(): boolean
}

export function openWaits(): Waits {
  /** Calls that have no outcome, and how many questions of each are open. */
  const asked = new Map<string, number>()
  const add = (id: string, more: number) => {
    const now = asked.get(id)
    if (now !== undefined) asked.set(id, now + more)
  }
  return {
    begin: (id) => void asked.set(id, 0),
    end: (id) => void asked.delete(id),
    hold(id) {
      add(id, 1)
      return () => add(id, -1)
    },
    isWaiting: () => asked.size > 0 && asked.values().every((questions) => questions > 0),
  }
}
