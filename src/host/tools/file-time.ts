const [earliest, latest] = [Date.UTC(1, 0, 1), Date.UTC(9999, 11, 31)]

/** When a file was last changed. Anybody can set that to years that no date has. */
export function changedAt({ mtimeMs }: { mtimeMs: bigint | number }): string {
  const at = Math.floor(Number(mtimeMs))
  return new Date(Math.min(latest, Math.max(earliest, at))).toISOString()
}
