import type { Row } from './transcript-row.ts'

export interface RowLimits {
  rows: number
  characters: number
}

/** The rows of a conversation: each found by a name of its own, the oldest forgotten when there are too many. */
export class RowStore {
  #rows: Row[] = []
  #dropped = 0
  #characters = 0
  #said = 0
  readonly #places = new Map<string, number>()
  readonly #limits: RowLimits

  constructor(limits: RowLimits) {
    this.#limits = limits
  }

  get rows(): readonly Row[] {
    return this.#rows
  }
  /** How many rows at the beginning are not kept any more. */
  get dropped(): number {
    return this.#dropped
  }

  /** Grows with what there is more to read, and with nothing else. */
  get said(): number {
    return this.#said
  }

  find(name: string): Row | undefined {
    const place = this.#places.get(name)
    return place === undefined ? undefined : this.#rows[place - this.#dropped]
  }

  /** Adds a row; a name that was used before is the new row's from now on. */
  add(row: Row, name?: string): void {
    this.#rows.push(row)
    this.#characters += sizeOf(row)
    this.#said += 1
    if (name !== undefined) this.#places.set(name, this.#dropped + this.#rows.length - 1)
    const { rows, characters } = this.#limits
    if (this.#rows.length > rows * 1.05 || this.#characters > characters * 1.05) this.#forget()
  }

  /** Puts another row in the place of one, which is then told from it by being another object. */
  change<Kind extends Row['kind']>(
    name: string,
    kind: Kind,
    how: (row: Extract<Row, { kind: Kind }>) => Partial<Extract<Row, { kind: Kind }>>,
  ): boolean {
    const place = this.#places.get(name)
    const row = this.find(name)
    if (place === undefined || row?.kind !== kind) return false
    const known = row as Extract<Row, { kind: Kind }>
    const next: Row = { ...known, ...how(known) }
    this.#rows[place - this.#dropped] = next
    const grown = sizeOf(next) - sizeOf(row)
    this.#characters += grown
    if (grown > 0) this.#said += 1
    return true
  }

  /** Changes what fits among the rows of the newest turn. */
  changeLast(executionId: string | null, how: (row: Row) => Row): void {
    for (let at = this.#rows.length - 1; at >= 0; at -= 1) {
      const row = this.#rows[at]
      if (row?.executionId !== executionId) return
      this.#rows[at] = how(row)
    }
  }

  /** Takes rows out that began after this place of the stream: those that fit, or all. */
  takeOut(after: number, fits: (row: Row) => boolean = () => true): void {
    const isOut = (row: Row) => seqOf(row) > after && fits(row)
    if (!this.#rows.some(isOut)) return
    const places = new Map<Row, number>()
    const before = this.#rows
    this.#rows = before.filter((row) => !isOut(row))
    for (const [at, row] of this.#rows.entries()) places.set(row, this.#dropped + at)
    for (const [name, place] of this.#places) {
      const row = before[place - this.#dropped]
      const now = row && places.get(row)
      if (now === undefined) this.#places.delete(name)
      else this.#places.set(name, now)
    }
    this.#characters = this.#rows.reduce((sum, row) => sum + sizeOf(row), 0)
  }

  /** Takes out one row; as a rule it is the last, and costs nothing then. */
  remove(name: string): void {
    const row = this.find(name)
    if (!row) return
    if (row !== this.#rows.at(-1)) return this.takeOut(seqOf(row) - 1, (each) => each === row)
    this.#rows.pop()
    this.#places.delete(name)
    this.#characters -= sizeOf(row)
  }

  #forget(): void {
    let kept = 0
    let from = this.#rows.length
    while (from > 1 && this.#rows.length - from < this.#limits.rows && kept < this.#limits.characters) {
      from -= 1
      kept += sizeOf(this.#rows[from])
    }
    this.#rows = this.#rows.slice(from)
    this.#dropped += from
    this.#characters = kept
    for (const [name, place] of this.#places) if (place < this.#dropped) this.#places.delete(name)
  }
}

/** Where in the stream it began. */
const seqOf = ({ key }: Row): number => Number.parseInt(key, 10)

/** About as many characters as it holds. */
function sizeOf(row: Row | undefined): number {
  if (!row) return 0
  if (row.kind === 'tool') {
    const diffs = row.diffs.reduce((sum, { text }) => sum + text.length, 0)
    return 200 + row.inputText.length + (row.output?.text.length ?? 0) + row.said.length + diffs
  }
  if (row.kind === 'diff') return 200 + row.diff.text.length
  const files = row.kind === 'message' ? row.files.reduce((sum, { url }) => sum + url.length, 0) : 0
  return 200 + ('text' in row ? row.text.length : 0) + files
}
