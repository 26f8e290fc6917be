/** Those that have all of these words, whatever their case; first what begins with them. */
export function bestFitting<Each>(
  all: readonly Each[] | undefined,
  wanted: string,
  nameOf: (each: Each) => string,
): Each[] {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean)
  const fitting = (all ?? []).flatMap((each) => {
    const name = nameOf(each).toLowerCase()
    if (!words.every((word) => name.includes(word))) return []
    return [{ each, rank: words[0] !== undefined && name.startsWith(words[0]) ? 0 : 1 }]
  })
  return fitting.toSorted((one, other) => one.rank - other.rank).map(({ each }) => each)
}
