import type { ModelMessage } from 'ai'
import type { ModelProvider } from '#contract/settings.ts'

/** Counts tokens, or comes close: what a provider counts itself is known only afterwards. */
export type CountTokens = (text: string) => number

/** What a message costs besides its words. */
const messageTokens = 4
/** Providers scale pictures down to about as much; some cut large ones into pieces, and count each. */
const imageTokens = 1_600
const mostImageTokens = 6_000
const imageBytesPerToken = 700
const fileTokensPerByte = 1 / 6
/** What it takes to count grows with the square of a run without a break, such as base64 or Chinese: texts are counted in slices. */
const slice = 500
/** Counting is slower than reading: of a text that has more slices, some of them stand for the rest. */
const mostSlices = 100

/** Four letters are a token in English, and hardly any word is longer; what is not of the Latin alphabet is shorter. */
export const roughly: CountTokens = (text) => {
  let plain = 0
  let dense = 0
  for (let at = 0; at < text.length; at += 1) {
    if (text.charCodeAt(at) < 0x250) plain += 1
    else dense += 1
  }
  return Math.ceil(plain / 3.6 + dense / 1.4)
}

/** OpenAI has told how it counts; of the others nobody knows. */
export async function counterFor(provider: ModelProvider): Promise<CountTokens> {
  if (provider !== 'openai') return roughly
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base')
  return (text) => {
    const slices = Math.ceil(text.length / slice)
    const step = Math.max(1, slices / mostSlices)
    let tokens = 0
    let counted = 0
    for (let at = 0; at < slices; at += step) {
      const from = Math.floor(at) * slice
      const piece = text.slice(from, from + slice)
      counted += piece.length
      tokens += countTokens(piece, { disallowedSpecial: new Set() })
    }
    return counted === 0 ? 0 : Math.ceil((tokens * text.length) / counted)
  }
}

const remembered = new WeakMap<CountTokens, WeakMap<ModelMessage, number>>()

/** A message is counted once, however many steps it is shown in. */
export function tokensOf(message: ModelMessage, count: CountTokens): number {
  const before = remembered.get(count) ?? new WeakMap<ModelMessage, number>()
  remembered.set(count, before)
  const known = before.get(message)
  if (known !== undefined) return known
  const { content } = message
  const tokens =
    typeof content === 'string'
      ? messageTokens + count(content)
      : content.reduce((sum, part) => sum + partTokens(part, count), messageTokens)
  before.set(message, tokens)
  return tokens
}

type Part = Exclude<ModelMessage['content'], string>[number]

function partTokens(part: Part, count: CountTokens): number {
  if (part.type === 'text' || part.type === 'reasoning') return count(part.text)
  if (part.type === 'image') return pictureTokens(part.image)
  if (part.type === 'file')
    return part.mediaType.startsWith('image/')
      ? pictureTokens(part.data)
      : bytesIn(part.data) * fileTokensPerByte
  if (part.type === 'tool-call') return count(part.toolName) + count(JSON.stringify(part.input) ?? '')
  return count(JSON.stringify(part.type === 'tool-result' ? part.output : part))
}

const pictureTokens = (data: unknown): number =>
  Math.max(imageTokens, Math.min(mostImageTokens, bytesIn(data) / imageBytesPerToken))

/** Of a file that is in the message; what is elsewhere is not known. */
export function bytesIn(data: unknown): number {
  if (typeof data === 'string') return data.length * 0.75
  if (data instanceof Uint8Array || data instanceof ArrayBuffer) return data.byteLength
  return 0
}
