import type { FilePart, ImagePart, ModelMessage, TextPart } from 'ai'
import { bytesIn } from './tokens.ts'

type Attached = FilePart | ImagePart

/** What each takes as it is. Whatever else is sent it refuses, and the whole conversation with it. */
const takenBy: Record<string, RegExp> = {
  google: /^(image\/(png|jpeg|webp|heic|heif)|application\/pdf|(audio|video)\/[\w.+-]+)$/,
  compatible: /^image\/(png|jpeg|gif|webp)$/,
}
const usuallyTaken = /^(image\/(png|jpeg|gif|webp)|application\/pdf)$/
const neverText = /^(image\/(?!svg)|audio\/|video\/|application\/(pdf|zip)$)/

export interface Reader {
  provider: string
  seesImages: boolean
  /** So many characters of a text file are shown. */
  mostText: number
}

/** What a model is shown otherwise than it was sent. */
export type Otherwise = 'picture' | 'file' | 'long text'

/** The message as this model can read it, itself where that is how it is: a text as its words, everything else as a sentence about it. */
export function readableFor(
  message: ModelMessage,
  reader: Reader,
  onOtherwise: (what: Otherwise, mediaType: string) => void,
): ModelMessage {
  return withFiles(message, (part) => {
    const mediaType = typeOf(part)
    const isPicture = mediaType.startsWith('image/')
    const isTaken = (takenBy[reader.provider] ?? usuallyTaken).test(mediaType)
    if (isTaken && (!isPicture || reader.seesImages) && !isEmpty(part)) return part
    const text = neverText.test(mediaType) ? undefined : textIn(part, reader.mostText)
    if (text === undefined) {
      onOtherwise(isPicture && !reader.seesImages ? 'picture' : 'file', mediaType)
      return sentence(
        isPicture && !reader.seesImages
          ? `There is a picture here, which this model cannot see${nameOf(part)}`
          : `There is a file here, which this model cannot read: ${mediaType}${nameOf(part)}`,
      )
    }
    if (text.isCut) onOtherwise('long text', mediaType)
    const what = text.isCut ? `the first ${text.words.length} characters of a longer file` : 'a file'
    return sentence(`This is ${what}, ${mediaType}${nameOf(part)}`, `${text.words}\n[Here it ends]`)
  })
}

/**
 * The files of the newest turn stay; of those before as many as fit into a request, the newest first, or none. In place of the others there
 * is a sentence.
 */
export function withRecentFiles(messages: readonly ModelMessage[], mostBytes: number): ModelMessage[] {
  const turnAt = beginOfTurn(messages)
  let left = mostBytes
  return messages
    .toReversed()
    .map((message, back) => {
      const isNewest = messages.length - 1 - back >= turnAt
      return withFiles(message, (part) => {
        left -= bytesIn(dataOf(part))
        return isNewest || left >= 0 ? part : leftOut(part)
      })
    })
    .toReversed()
}

/** Whether there are files that came before the newest turn. */
export const hasOldFiles = (messages: readonly ModelMessage[]): boolean =>
  messages.slice(0, beginOfTurn(messages)).some(hasFiles)

export const leftOut = (part: Attached): TextPart =>
  sentence(`There was a file here, which is not shown any more: ${typeOf(part)}${nameOf(part)}`)

function beginOfTurn(messages: readonly ModelMessage[]): number {
  let at = messages.findLastIndex(({ role }) => role === 'user')
  while (at > 0 && messages[at - 1]?.role === 'user') at -= 1
  return Math.max(0, at)
}

function withFiles(message: ModelMessage, change: (part: Attached) => Attached | TextPart): ModelMessage {
  if (message.role !== 'user' || typeof message.content === 'string') return message
  const content = message.content.map((part) => (part.type === 'text' ? part : change(part)))
  return content.every((part, at) => part === message.content[at]) ? message : { ...message, content }
}

const hasFiles = ({ role, content }: ModelMessage): boolean =>
  role === 'user' && typeof content !== 'string' && content.some(({ type }) => type !== 'text')

const typeOf = (part: Attached): string =>
  (part.type === 'image' ? (part.mediaType ?? 'image/png') : part.mediaType).toLowerCase()

const dataOf = (part: Attached): unknown => (part.type === 'image' ? part.image : part.data)

const isEmpty = (part: Attached): boolean => {
  const data = dataOf(part)
  return (typeof data === 'string' || data instanceof Uint8Array) && bytesIn(data) === 0
}

const nameOf = (part: Attached): string =>
  part.type === 'file' && part.filename !== undefined ? ` (${part.filename})` : ''

const sentence = (about: string, more?: string): TextPart => ({
  type: 'text',
  text: more === undefined ? `[${about}]` : `[${about}:]\n${more}`,
})

/** Undefined where it is no text. No more of it is looked at than is shown. */
function textIn(part: Attached, most: number): { words: string; isCut: boolean } | undefined {
  const data = dataOf(part)
  const mostBytes = most * 4
  const bytes =
    typeof data === 'string'
      ? Buffer.from(data.slice(0, Math.ceil(mostBytes / 3) * 4), 'base64')
      : data instanceof Uint8Array
        ? data.subarray(0, mostBytes)
        : undefined
  if (!bytes || bytes.includes(0)) return undefined
  try {
    // The last letter may be cut in two.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    const words = text.slice(0, most)
    return { words, isCut: words.length < text.length || bytesIn(data) > bytes.length + 3 }
  } catch {
    return undefined
  }
}
