import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { OutputPart, OutputRest } from '#contract/workspace-tool.ts'
import { ToolRefused } from '#lib/tool-refused.ts'
import { unfinishedTail } from '#lib/utf8.ts'
import { Asked } from './asked.ts'

const mostOutputs = 32
const keptMs = 600_000

interface Kept {
  /** Undefined when not even that could be written. */
  file: string | undefined
  bytes: number
  timer: NodeJS.Timeout
}

/** Outputs that were too long to be answered whole, each for ten minutes; when there are too many, the oldest go. */
export class KeptOutputs {
  readonly #scratch: string
  readonly #kept = new Map<string, Kept>()

  constructor(scratch: string) {
    this.#scratch = scratch
  }

  /** A name for a file that nobody else has. */
  newFile(): string {
    mkdirSync(this.#scratch, { recursive: true, mode: 0o700 })
    return join(this.#scratch, `output-${randomUUID()}`)
  }

  keep(file: string | undefined, { bytes, said }: Pick<OutputRest, 'bytes' | 'said'>): OutputRest {
    const handle = randomUUID()
    const timer = setTimeout(() => this.#drop(handle), keptMs).unref()
    this.#kept.set(handle, { file, bytes, timer })
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= mostOutputs) break
      this.#drop(oldest)
    }
    return { handle, bytes, said, isWhole: bytes === said }
  }

  /** The tool `output`. Rejects with ToolRefused. */
  async read(input: unknown): Promise<Omit<OutputPart, 'executionTime'>> {
    const asked = new Asked(input, ['handle', 'offset', 'limit'])
    const kept = this.#kept.get(asked.text('handle', { max: 200 }))
    const offset = asked.whole('offset', { min: 0 }, 0)
    const limit = asked.whole('limit', { min: 1, max: 1_048_576 }, 262_144)
    if (!kept) throw outputGone()
    if (!kept.file) return { content: '', offset, next: null, bytes: 0 }
    const opened = await open(kept.file).catch(() => {
      throw outputGone() // somebody inside has removed it
    })
    try {
      // Room for the character that the limit may cut.
      const { bytesRead, buffer } = await opened.read(Buffer.alloc(limit + 3), 0, limit + 3, offset)
      const end = Math.min(bytesRead, wholeCharacters(buffer.subarray(0, bytesRead), limit))
      const next = offset + end
      const content = buffer.toString('utf8', 0, end)
      return { content, offset, next: next < kept.bytes ? next : null, bytes: kept.bytes }
    } finally {
      await opened.close()
    }
  }

  close(): void {
    for (const handle of this.#kept.keys()) this.#drop(handle)
  }

  #drop(handle: string): void {
    const kept = this.#kept.get(handle)
    if (!kept) return
    this.#kept.delete(handle)
    clearTimeout(kept.timer)
    if (kept.file) rmSync(kept.file, { force: true })
  }
}

const outputGone = () =>
  new ToolRefused(
    'output_gone',
    'This output is not kept any more: outputs are kept for ten minutes, and the last 32 of them',
  )

/** How many bytes to take so that no character is cut: at most `limit`, unless the first one is longer than that. */
export function wholeCharacters(bytes: Buffer, limit: number): number {
  if (bytes.length <= limit) return bytes.length
  const whole = limit - unfinishedTail(bytes.subarray(0, limit))
  if (whole > 0) return whole
  for (let more = limit + 1; more < bytes.length; more += 1)
    if (unfinishedTail(bytes.subarray(0, more)) === 0) return more
  return bytes.length
}
