import { ToolRefused } from '#lib/tool-refused.ts'

// What the tools are asked comes unchecked. The limits and defaults are those of the contract's shapes, which are not used
// here: zod would cost a small program more memory than all the rest of it.

export const refuseInput = (field: string, reason: string): never => {
  throw new ToolRefused('tool_input', field ? `${field}: ${reason}` : reason, { field, reason })
}

interface Size {
  min?: number
  max?: number
}

/** The fields of one question, each taken by its kind; one that is not known is refused. */
export class Asked {
  readonly #fields: Record<string, unknown>
  readonly #prefix: string

  constructor(input: unknown, known: readonly string[], name = '') {
    if (typeof input !== 'object' || input === null || Array.isArray(input))
      refuseInput(name, 'must be an object')
    this.#fields = input as Record<string, unknown>
    this.#prefix = name ? `${name}.` : ''
    for (const field of Object.keys(this.#fields))
      if (!known.includes(field)) refuseInput(this.#prefix + field, 'is not known')
  }

  text(field: string, { min = 0, max = Infinity }: Size = {}): string {
    const value = this.#fields[field]
    if (value === undefined) return refuseInput(this.#prefix + field, 'is missing')
    if (typeof value !== 'string') return refuseInput(this.#prefix + field, 'must be a text')
    if (value.length < min)
      return refuseInput(
        this.#prefix + field,
        min === 1 ? 'must not be empty' : `must have ${min} characters or more`,
      )
    if (value.length > max) return refuseInput(this.#prefix + field, `must have ${max} characters at most`)
    return value
  }

  optionalText(field: string, size?: Size): string | undefined {
    return this.has(field) ? this.text(field, size) : undefined
  }

  /** A text that can be written and read again without being altered. */
  content(field: string, size?: Size): string {
    const text = this.text(field, size)
    return text.isWellFormed() ? text : refuseInput(this.#prefix + field, 'must be well-formed Unicode')
  }

  flag(field: string, otherwise: boolean): boolean {
    const value = this.#fields[field] ?? (this.has(field) ? null : otherwise)
    return typeof value === 'boolean' ? value : refuseInput(this.#prefix + field, 'must be true or false')
  }

  whole(
    field: string,
    { min, max = Number.MAX_SAFE_INTEGER }: { min: number; max?: number },
    otherwise?: number,
  ): number {
    const value = this.has(field) ? this.#fields[field] : otherwise
    if (typeof value !== 'number' || !Number.isSafeInteger(value))
      return refuseInput(this.#prefix + field, 'must be a whole number')
    if (value < min || value > max)
      return refuseInput(this.#prefix + field, `must be between ${min} and ${max}`)
    return value
  }

  choice<const Choice extends string>(field: string, choices: readonly Choice[], otherwise: Choice): Choice {
    const value = this.has(field) ? this.#fields[field] : otherwise
    return (
      choices.find((choice) => choice === value) ??
      refuseInput(this.#prefix + field, `must be one of ${choices.join(', ')}`)
    )
  }

  /** The hash of a file, as it was told. */
  hash(field: string): string | undefined {
    return this.optionalText(field, { min: 64, max: 64 })
  }

  /** Some texts; undefined when it is not there. */
  texts(field: string, { most, ...size }: Size & { most: number }): string[] | undefined {
    if (!this.has(field)) return undefined
    const values = this.#fields[field]
    if (!Array.isArray(values)) return refuseInput(this.#prefix + field, 'must be a list')
    if (values.length > most) return refuseInput(this.#prefix + field, `must have ${most} entries at most`)
    const entries = new Asked(Object.fromEntries(values.entries()), Object.keys(values), this.#prefix + field)
    return values.map((_, at) => entries.text(String(at), size))
  }

  part(field: string, known: readonly string[]): Asked | undefined {
    return this.has(field) ? new Asked(this.#fields[field], known, this.#prefix + field) : undefined
  }

  isNull(field: string): boolean {
    return this.#fields[field] === null
  }

  has(field: string): boolean {
    return this.#fields[field] !== undefined
  }

  raw(field: string): unknown {
    return this.#fields[field]
  }
}

/** The longest that is read; what a path may really have is said where it is walked. */
export const place: Size = { min: 1, max: 65_536 }
