import { closeSync, constants, fstatSync, openSync, readFileSync, rmSync } from 'node:fs'
import { z } from 'zod'
import { UiMessage } from '#contract/chat.ts'
import { Identity } from '#contract/up.ts'
import { replaceFile } from '#lib/durable-file.ts'
import { hasCode } from '#lib/error-code.ts'
import { identify, isAlive } from '#lib/process-identity.ts'
import { redact } from '#lib/redact.ts'

const Remembered = z.object({
  /** Another agent, or another folder, has no part in this session. */
  agent: z.object({ adapter: z.string(), command: z.string(), cwd: z.string() }),
  sessionRef: z.string().nullable(),
  messages: z.array(UiMessage),
})
export type Remembered = z.infer<typeof Remembered>

/** Whose it is: the bridge that writes it, and the mark that all its agent's processes carry. */
const Owned = Remembered.extend({ bridge: Identity, mark: z.string() })

/** What is remembered of a session from one start to the next. Never throws: without a file it goes on without. */
export interface SessionFile {
  /** Why nothing is kept any more. */
  readonly trouble: string | undefined
  /** Nothing when there is none, and when another bridge lives that has it. */
  read(): Remembered | undefined
  /** The mark of processes that a bridge may have left behind that did not live to end them; known once it was read. */
  readonly leftBehind: string | undefined
  write(remembered: Remembered): void
  remove(): void
}

export function openSessionFile(file: string, mark: string, warn: (line: string) => void): SessionFile {
  const bridge = identify(process.pid)
  let trouble: string | undefined
  let leftBehind: string | undefined

  function giveUp(error: unknown): undefined {
    trouble = error instanceof Error ? error.message : String(error)
    warn(`The session is not kept from here on, only in memory: ${trouble}`)
    return undefined
  }

  return {
    get trouble() {
      return trouble
    },
    get leftBehind() {
      return leftBehind
    },
    read() {
      try {
        const owned = Owned.parse(JSON.parse(readOwn(file)))
        if (isAlive(owned.bridge))
          throw new Error(`${file} is in use by another bridge, process ${owned.bridge.pid}`)
        leftBehind = owned.mark
        return owned
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
        replaceFile(file, JSON.stringify({ ...(redact(remembered) as object), bridge, mark }))
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
