/** One measured figure. `limit` is what it must stay under (or above, where `higher`); `peer` is measured in the same run. */
export interface Figure {
  name: string
  ours: number
  unit: string
  target?: { most: number } | { least: number }
  peer?: Peer | readonly Peer[]
}

/** Measured in the same run; or the reason why it could not be. */
export type Peer = { name: string; value: number } | { name: string; missing: string }

export type Bench = () => Promise<Figure[]>

export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).toSorted()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export function meets({ ours, target }: Figure): boolean {
  if (!target) return true
  return 'most' in target ? ours < target.most : ours >= target.least
}

const rounded = (value: number) =>
  Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en') : String(Math.round(value * 100) / 100)

const beside = (ours: number, unit: string, peer: Peer): [string, string] =>
  'missing' in peer
    ? [`${peer.name}: not available: ${peer.missing.split('\n')[0]}`, '']
    : [`${peer.name}: ${rounded(peer.value)} ${unit}`, `${(ours / peer.value).toFixed(2)}×`]

export function table(figures: readonly Figure[]): string {
  const rows = figures.flatMap((figure) => {
    const { name, ours, unit, target, peer = [] } = figure
    const [first = ['', ''], ...others] = [peer].flat().map((one) => beside(ours, unit, one))
    const row = [
      name,
      target
        ? 'most' in target
          ? `< ${rounded(target.most)} ${unit}`
          : `≥ ${rounded(target.least)} ${unit}`
        : '',
      `${rounded(ours)} ${unit}`,
      ...first,
      target ? (meets(figure) ? 'met' : 'MISSED') : '',
    ]
    return [row, ...others.map((other) => ['', '', '', ...other, ''])]
  })
  const all = [['figure', 'target', 'ours', 'peer or limit', 'ratio', ''], ...rows]
  const widths = all[0]!.map((_, column) => Math.max(...all.map((row) => row[column]!.length)))
  const line = (row: string[]) => `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`
  return [line(all[0]!), rule, ...all.slice(1).map(line)].join('\n')
}
