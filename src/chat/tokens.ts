import type { ModelMessage } from 'ai'
import type { ModelProvider } from '#contract/settings.ts'

/** Counts tokens, or comes close: what a provider counts itself is known only afterwards. */
export type CountTokens = (text: string) => number

/** What a message costs besides its words. */
const messageTokens = 4
/** Providers scale pictures down to about as much. */
const imageTokens = 1_600
const fileTokensPerByte = 1 / 6
/** Counting is slower than reading: in a text that is longer, a part of it stands for the rest. */
const longestCounted = 200_000

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
    if (text.length <= longestCounted) return countTokens(text, { disallowedSpecial: new Set() })
    const share = text.length / longestCounted
    return Math.ceil(countTokens(text.slice(0, longestCounted), { disallowedSpecial: new Set() }) * share)
  }
}

export function tokensOf(message: ModelMessage, count: CountTokens): number {
  const { content } = message
  if (typeof content === 'string') return messageTokens + count(content)
  return content.reduce((sum, part) => sum + partTokens(part, count), messageTokens)
}

type Part = Exclude<ModelMessage['content'], string>[number]

function partTokens(part: Part, count: CountTokens): number {
  if (part.type === 'text' || part.type === 'reasoning') return count(part.text)
  if (part.type === 'image') return imageTokens
  if (part.type === 'file')
    return part.mediaType.startsWith('image/') ? imageTokens : bytesIn(part.data) * fileTokensPerByte
  if (part.type === 'tool-call') return count(part.toolName) + count(JSON.stringify(part.input) ?? '')
  return count(JSON.stringify(part.type === 'tool-result' ? part.output : part))
}

function bytesIn(data: unknown): number {
  if (typeof data === 'string') return data.length * 0.75
  if (data instanceof Uint8Array || data instanceof ArrayBuffer) return data.byteLength
  return 0
}
