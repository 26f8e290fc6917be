const longest = 72

/** What a commit may be called: after what the session is about, else after what has changed. */
export function suggestMessage(title: string, files: readonly { path: string }[]): string {
  const line = title.split('\n', 1)[0]?.trim() ?? ''
  const said = line.length > longest ? `${line.slice(0, longest - 1).trimEnd()}…` : line
  if (/\p{Letter}.*\s/u.test(said)) return said
  const [first] = files
  if (!first) return said
  return files.length === 1 ? `Change ${first.path}` : `Change ${first.path} and ${files.length - 1} more`
}
