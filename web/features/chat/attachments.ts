import { useState } from 'react'
import type { PromptFile } from '../../../src/contract/agent-event.ts'
import { chatStrings } from '../../strings/chat.ts'
import { bytes } from '../../ui/bytes.ts'

/** What models can look at. */
export const pictureTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']
const most = 10
const mostBytes = 14 * 1024 * 1024

export interface Attachments {
  files: readonly PromptFile[]
  /** Why something was not attached. */
  problem: string | null
  add: (given: Iterable<File>) => void
  remove: (file: PromptFile) => void
  clear: () => void
}

/** The pictures that go with the next message. They are kept in this page only, until it is sent. */
export function useAttachments(): Attachments {
  const [files, setFiles] = useState<readonly PromptFile[]>([])
  const [problem, setProblem] = useState<string | null>(null)
  const add = async (given: Iterable<File>) => {
    setProblem(null)
    for (const file of given) {
      if (!pictureTypes.includes(file.type)) {
        setProblem(chatStrings.noPicture(file.name))
        continue
      }
      const url = await dataUrl(file)
      setFiles((now) => {
        const isTooMuch = now.reduce((sum, each) => sum + sizeOf(each.url), file.size) > mostBytes
        if (isTooMuch) setProblem(chatStrings.tooLarge(file.name, bytes(file.size), bytes(mostBytes)))
        else if (now.length >= most) setProblem(chatStrings.tooMany(most))
        else return [...now, { url, mediaType: file.type, name: file.name || chatStrings.picture }]
        return now
      })
    }
  }
  return {
    files,
    problem,
    add: (given) => void add(given).catch((error: Error) => setProblem(error.message)),
    remove: (file) => setFiles((now) => now.filter((each) => each !== file)),
    clear: () => {
      setFiles([])
      setProblem(null)
    },
  }
}

/** Of the file itself: four characters of a data: URL are three bytes. */
const sizeOf = (url: string): number => ((url.length - url.indexOf(',') - 1) / 4) * 3

function dataUrl(file: File): Promise<string> {
  const reader = new FileReader()
  return new Promise((resolve, reject) => {
    reader.addEventListener('load', () => resolve(typeof reader.result === 'string' ? reader.result : ''))
    reader.addEventListener('error', () => reject(reader.error ?? new Error(file.name)))
    reader.readAsDataURL(file)
  })
}

/** The pictures among what was pasted or dropped. */
export const picturesIn = (given: DataTransfer | null): File[] =>
  [...(given?.files ?? [])].filter(({ type }) => pictureTypes.includes(type))
