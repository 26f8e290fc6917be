import type { Tool } from '#contract/tool.ts'

const mostWords = 20
const longestWord = 64
/** Of a description its beginning tells what it is about. */
const describedBy = 2_000
const weights = { name: 8, title: 5, tags: 4, description: 1 }
/** What only begins with a word counts less than the word itself. */
const prefixShare = 0.5
const shortestPrefix = 3

export interface Found<Entry> {
  entry: Entry
  score: number
}

export interface SearchIndex<Entry> {
  /** Best first; those that score the same by name. */
  find(words: string, isSeen: (entry: Entry) => boolean): Found<Entry>[]
}

/** Finds tools by words: how rare a word is and where it stands decide. The same words find the same, in the same order. */
export function indexTools<Entry extends { tool: Tool }>(entries: readonly Entry[]): SearchIndex<Entry> {
  const postings = new Map<string, Map<number, number>>()
  entries.forEach(({ tool }, at) => {
    for (const [word, weight] of weigh(tool)) {
      const places = postings.get(word) ?? new Map<number, number>()
      postings.set(word, places.set(at, weight))
    }
  })
  const vocabulary = [...postings.keys()].toSorted()

  function score(word: string, share: number, scores: Map<number, number>) {
    const places = postings.get(word)
    if (!places) return
    const rarity = Math.log(1 + (entries.length - places.size + 0.5) / (places.size + 0.5))
    for (const [at, weight] of places) {
      const gained = share * rarity * ((weight * 2.2) / (weight + 1.2))
      scores.set(at, (scores.get(at) ?? 0) + gained)
    }
  }

  return {
    find(words, isSeen) {
      const scores = new Map<number, number>()
      for (const word of new Set(wordsIn(words).slice(0, mostWords))) {
        score(word, 1, scores)
        for (const longer of beginningWith(word, vocabulary)) score(longer, prefixShare, scores)
      }
      return [...scores]
        .flatMap(([at, score]) => {
          const entry = entries[at]
          return entry && isSeen(entry) ? [{ entry, score }] : []
        })
        .toSorted((a, b) => b.score - a.score || (a.entry.tool.name < b.entry.tool.name ? -1 : 1))
    },
  }
}

function weigh({ name, title, tags, description }: Tool): Map<string, number> {
  const found = new Map<string, number>()
  const add = (text: string, weight: number) => {
    for (const word of wordsIn(text)) found.set(word, (found.get(word) ?? 0) + weight)
  }
  add(name, weights.name)
  add(title ?? '', weights.title)
  for (const tag of tags) add(tag, weights.tags)
  add(description.slice(0, describedBy), weights.description)
  return found
}

/** `getUser_by-ID2` has the words get, user, by, id2. Of the plural the singular is found too. */
function wordsIn(text: string): string[] {
  const parted = text
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
  return (parted.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => stem(word.slice(0, longestWord)))
}
const stem = (word: string) => (word.length > 3 && /[^s]s$/.test(word) ? word.slice(0, -1) : word)

function beginningWith(word: string, vocabulary: readonly string[]): string[] {
  if (word.length < shortestPrefix) return []
  let [low, high] = [0, vocabulary.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((vocabulary[middle] ?? '') < word) low = middle + 1
    else high = middle
  }
  const found: string[] = []
  for (let at = low; found.length < 50; at += 1) {
    const longer = vocabulary[at]
    if (!longer?.startsWith(word)) break
    if (longer !== word) found.push(longer)
  }
  return found
}
