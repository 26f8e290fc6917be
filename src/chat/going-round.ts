/** So often the same may be asked for in a row: whoever waits for something asks a few times. */
const mostInARow = 6

/** Whether the last steps wanted exactly the same, all of them. */
export function isGoingRound(past: readonly string[]): boolean {
  const last = past.slice(-mostInARow)
  return last.length === mostInARow && new Set(last).size === 1
}
