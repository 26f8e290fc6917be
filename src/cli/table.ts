import { inertLine } from '#lib/inert-text.ts'
import { padTo, shorten, textWidth } from '#lib/text-width.ts'
import type { Colour, Screen } from './screen.ts'

export interface Column<Row> {
  title: string
  text(row: Row): string
  colour?(row: Row): Colour
  /** The one that gives way when the screen is narrow. */
  flexible?: boolean
  /** Left out, highest first, when giving way is not enough. */
  spare?: number
}

const GAP = 2
const LEAST = 12

/** An aligned table that never wraps. What the rows say cannot do anything to the terminal. */
export function formatTable<Row>(
  screen: Screen,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
): string {
  const texts = new Map(columns.map((column) => [column, rows.map((row) => inertLine(column.text(row)))]))
  const natural = (column: Column<Row>) =>
    Math.max(textWidth(column.title), ...(texts.get(column) ?? []).map(textWidth).values())
  const least = (column: Column<Row>) =>
    column.flexible ? Math.min(LEAST, natural(column)) : natural(column)

  let shown = [...columns]
  const total = (of: (column: Column<Row>) => number) =>
    shown.reduce((sum, column) => sum + of(column) + GAP, -GAP)
  while (total(least) > screen.width) {
    const next = shown.toSorted((one, other) => (other.spare ?? 0) - (one.spare ?? 0))[0]
    if (!next?.spare) break
    shown = shown.filter((column) => column !== next)
  }
  const over = Math.max(0, total(natural) - screen.width)
  const width = (column: Column<Row>) =>
    column.flexible ? Math.max(Math.min(LEAST, natural(column)), natural(column) - over) : natural(column)

  const line = (cell: (column: Column<Row>) => string, colour: (column: Column<Row>) => Colour) =>
    shown
      .map((column, index) => {
        const fitted = shorten(cell(column), width(column))
        return screen.paint(
          colour(column),
          index === shown.length - 1 ? fitted : padTo(fitted, width(column)),
        )
      })
      .join(' '.repeat(GAP))
      .trimEnd()

  const head = line(
    (column) => column.title,
    () => 'dim',
  )
  const body = rows.map((row, index) =>
    line(
      (column) => texts.get(column)?.[index] ?? '',
      (column) => column.colour?.(row) ?? 'plain',
    ),
  )
  return `${[head, ...body].join('\n')}\n`
}
