/** What somebody has to say about lines of a change. */
export interface Comment {
  id: string
  path: string
  /** Lines as they are now, or as they were. */
  side: 'after' | 'before'
  from: number
  to: number
  /** What stands there. */
  quote: string
  text: string
  /** It is being written. */
  isOpen: boolean
}

/** All comments that say something, as one message to the agent: where each belongs, what stands there, what is said. */
export function messageOf(comments: readonly Comment[]): string {
  const said = inOrder(comments.filter(({ text }) => text.trim() !== ''))
  const all = said.map((comment) => {
    const marks = '`'.repeat(Math.max(3, longestRun(comment.quote) + 1))
    return `${placeOf(comment)}:\n${marks}\n${comment.quote}\n${marks}\n${comment.text.trim()}`
  })
  const head = said.length === 1 ? 'A comment on your changes:' : `${said.length} comments on your changes:`
  return [head, ...all].join('\n\n')
}

/** `src/a.ts, lines 3 to 5 as they were before`. */
export function placeOf({ path, side, from, to }: Comment): string {
  const lines = from === to ? `line ${from}` : `lines ${from} to ${to}`
  const was = from === to ? ' as it was before' : ' as they were before'
  return `${path}, ${lines}${side === 'before' ? was : ''}`
}

export const inOrder = (comments: readonly Comment[]): Comment[] =>
  comments.toSorted((one, other) =>
    one.path === other.path ? one.from - other.from || one.to - other.to : one.path < other.path ? -1 : 1,
  )

const longestRun = (text: string): number =>
  Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length))
