import { randomBytes } from 'node:crypto'
import { CallFailed } from './port.ts'
import type { Caller } from './port.ts'

const ageMs = 15 * 60_000
const mostOfOne = 32 * 1024 * 1024
const mostOfAll = 96 * 1024 * 1024
const pieceFor = { agent: 100_000, person: 1_000_000 }

interface Kept {
  owner: string
  texts: readonly string[]
  total: number
  at: number
}

/** What was too long to be given whole, for whoever it was meant for, for a while. Counted in characters. */
export function openKeptResults(now: () => number = Date.now, machineId?: string) {
  const kept = new Map<string, Kept>()
  const timer = setInterval(forgetOld, 60_000).unref()

  function forgetOld() {
    for (const [handle, { at }] of kept) if (now() - at > ageMs) kept.delete(handle)
  }
  /** The oldest go first. */
  function makeRoom(most: number, among: (one: Kept) => boolean) {
    const sizes = [...kept].filter(([, one]) => among(one))
    let sum = sizes.reduce((all, [, { total }]) => all + total, 0)
    for (const [handle, { total }] of sizes) {
      if (sum <= most) return
      kept.delete(handle)
      sum -= total
    }
  }

  return {
    /** How much of it there will be to read may be less than there was. */
    keep(caller: Caller, given: readonly string[]): { handle: string; total: number } {
      forgetOld()
      const owner = ownerOf(caller)
      const texts = upTo(given, mostOfOne)
      const total = texts.reduce((sum, text) => sum + text.length, 0)
      makeRoom(mostOfOne - total, (one) => one.owner === owner)
      makeRoom(mostOfAll - total, () => true)
      const secret = randomBytes(12).toString('base64url')
      const handle = machineId === undefined ? secret : `${machineId}.${secret}`
      kept.set(handle, { owner, texts, total, at: now() })
      return { handle, total }
    },
    /** Throws CallFailed `bad_arguments`. */
    read(caller: Caller, handle: string, offset: number) {
      forgetOld()
      const found = kept.get(handle)
      if (!found || found.owner !== ownerOf(caller))
        throw new CallFailed(
          'bad_arguments',
          'There is nothing to read under this handle. What is left of an answer is kept for 15 minutes at most: call the tool again.',
          { context: { in: 'body', fields: [{ field: 'handle', reason: 'is not known' }] } },
        )
      const { texts, total } = found
      if (!Number.isInteger(offset) || offset < 0 || offset > total)
        throw new CallFailed('bad_arguments', `The offset must be a whole number from 0 to ${total}.`, {
          context: { in: 'body', fields: [{ field: 'offset', reason: `must be from 0 to ${total}` }] },
        })
      const text = piece(texts, offset, mostTextOf(caller, pieceFor[caller.kind]))
      const next = offset + text.length
      return { text, nextOffset: next < total ? next : null, total }
    },
    close() {
      clearInterval(timer)
      kept.clear()
    },
  }
}

/** A model in a chat has room for no more than it says. */
export const mostTextOf = (caller: Caller, usual: number): number =>
  caller.kind === 'agent' ? Math.min(usual, caller.inChat?.mostText ?? usual) : usual

/** One agent may work in the sessions of many people. */
const ownerOf = (caller: Caller) =>
  caller.kind === 'agent' ? `${caller.id} ${caller.sessionId}` : `person ${caller.id}`

function upTo(texts: readonly string[], most: number): string[] {
  let room = most
  return texts.flatMap((text) => {
    const part = cut(text, room)
    room -= part.length
    return part ? [part] : []
  })
}

function piece(texts: readonly string[], from: number, most: number): string {
  let before = 0
  const parts: string[] = []
  let room = most
  for (const text of texts) {
    const start = Math.max(0, from - before)
    before += text.length
    if (start >= text.length) continue
    const part = cut(text.slice(start), room)
    parts.push(part)
    room -= part.length
    if (room <= 0 || part.length < text.length - start) break
  }
  return parts.join('')
}

/** Never in the middle of a character. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text
  const last = text.charCodeAt(most - 1)
  const isSplit = last >= 0xd800 && last <= 0xdbff
  return text.slice(0, Math.max(0, isSplit ? most - 1 : most))
}
