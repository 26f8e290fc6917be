import { closeSync, constants, fstatSync, openSync, readFileSync, rmSync } from 'node:fs'
import { z } from 'zod'
import { UiMessage } from '#contract/chat.ts'
import { replaceFile } from '#lib/durable-file.ts'
import { hasCode } from '#lib/error-code.ts'
import { redact } from '#lib/redact.ts'

const Remembered = z.object({
  /** Another agent, or another folder, has no part in this session. */
  agent: z.object({ adapter: z.string(), command: z.string(), cwd: z.string() }),
  sessionRef: z.string().nullable(),
  messages: z.array(UiMessage),
})
export type Remembered = z.infer<typeof Remembered>

/** What is remembered of a session from one start to the next. Never throws: without a file it goes on without. */
export interface SessionFile {
  /** Why nothing is kept any more. */
  readonly trouble: string | undefined
  read(): Remembered | undefined
  write(remembered: Remembered): void
  remove(): void
}

export function openSessionFile(file: string, warn: (line: string) => void): SessionFile {
  let trouble: string | undefined

  function giveUp(error: unknown): undefined {
    trouble = error instanceof Error ? error.message : String(error)
    warn(`The session is not kept from here on, only in memory: ${trouble}`)
    return undefined
  }

  return {
    get trouble() {
      return trouble
    },
    read() {
      try {
        return Remembered.parse(JSON.parse(readOwn(file)))
      } catch (error) {
        if (hasCode(error, 'ENOENT')) return undefined
        if (!(error instanceof SyntaxError) && !(error instanceof z.ZodError)) return giveUp(error)
        warn(`${file} cannot be understood, and is written anew`)
        return undefined
      }
    },
    write(remembered) {
      if (trouble !== undefined) return
      try {
        replaceFile(file, JSON.stringify(redact(remembered)))
      } catch (error) {
        giveUp(error)
      }
    },
    remove() {
      if (trouble !== undefined) return
      try {
        rmSync(file, { force: true })
      } catch (error) {
        giveUp(error)
      }
    },
  }
}

/** Temporary folders are everyone's: a link, or a file of somebody else, is not ours to believe. */
function readOwn(file: string): string {
  const handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const found = fstatSync(handle)
    if (!found.isFile() || found.uid !== process.getuid?.())
      throw new Error(`${file} is not a file of this user`)
    return readFileSync(handle, 'utf8')
  } finally {
    closeSync(handle)
  }
}
