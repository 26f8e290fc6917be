/** Work that is done one after the other for each key. */
export interface Turns {
  has(key: string): boolean
  /** Whatever became of the work before it. */
  inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result>
}

export function openTurns(): Turns {
  const lines = new Map<string, Promise<unknown>>()
  return {
    has: (key) => lines.has(key),
    inTurn(key, work) {
      const before = lines.get(key) ?? Promise.resolve()
      const mine = before.catch(() => undefined).then(work)
      const line = mine
        .catch(() => undefined)
        .finally(() => {
          if (lines.get(key) === line) lines.delete(key)
        })
      lines.set(key, line)
      return mine
    },
  }
}
