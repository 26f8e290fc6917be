/** From where to where a line differs from the one in whose place it stands; nothing when little is the same. */
export function changedPart(text: string, pair: string | undefined): [from: number, to: number] | null {
  if (pair === undefined || text.length > 2000 || pair.length > 2000) return null
  const most = Math.min(text.length, pair.length)
  let from = 0
  while (from < most && text[from] === pair[from]) from += 1
  let tail = 0
  while (tail < most - from && text[text.length - 1 - tail] === pair[pair.length - 1 - tail]) tail += 1
  const isSimilar = text.slice(0, from).trim().length + tail >= Math.min(text.length, pair.length) / 3
  return isSimilar && text.length - tail > from ? [from, text.length - tail] : null
}
