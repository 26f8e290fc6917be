import { setTimeout as wait } from 'node:timers/promises'
import type { ProgramEnd } from '#lib/program.ts'
import type { EnclosedAgent, Output } from '../port.ts'

const mostKept = 2_000
const lastWordsMs = 500

/** What an agent writes beside its protocol, and the end of its process. */
export class AgentProcess {
  readonly program: EnclosedAgent
  #end: ProgramEnd | undefined
  #tail = ''
  readonly #read: Promise<void>

  /** `hear` is told all of it and holds up the reading; `note` gets it in lines. */
  constructor(program: EnclosedAgent, hear: (output: Output) => Promise<void>, note: (line: string) => void) {
    this.program = program
    void program.exited.then((end) => (this.#end = end))
    this.#read = this.#listen(hear, note)
  }

  /** How it ended, once it has. */
  get end(): ProgramEnd | undefined {
    return this.#end
  }

  /** Waits a moment for its end. Null when there is nothing more to say than how it ended. */
  async lastWords(): Promise<string | null> {
    await Promise.race([this.program.exited, wait(lastWordsMs, undefined, { ref: false })])
    await Promise.race([this.#read, wait(lastWordsMs, undefined, { ref: false })])
    const said = this.#tail.trim().split('\n').at(-1)?.trim()
    return said ? said.slice(0, 500) : this.#end ? null : 'It closed its output'
  }

  async #listen(hear: (output: Output) => Promise<void>, note: (line: string) => void): Promise<void> {
    try {
      for await (const bytes of this.program.stderr as AsyncIterable<Buffer>) {
        const text = bytes.toString('utf8')
        this.#tail = (this.#tail + text).slice(-mostKept)
        for (const line of text.split('\n')) if (line.trim()) note(line)
        await hear({ type: 'data-terminal', stream: 'stderr', bytes })
      }
    } catch {
      // its process is gone, and that is told by its end
    }
  }
}
