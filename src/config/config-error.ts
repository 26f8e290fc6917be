/** One thing that is wrong with the configuration. */
export interface Complaint {
  /** `file:line:column`, or the name of a variable. */
  where: string
  /** The key, as `server.port`; empty when the place alone says it. */
  path: string
  what: string
}

/** Everything that is wrong with the configuration, ready to print. A process that meets it exits with 78. */
export class ConfigError extends Error {
  readonly exitCode = 78
  readonly complaints: Complaint[]

  constructor(found: Complaint[]) {
    const complaints = found.toSorted((one, other) => placeOf(one) - placeOf(other))
    const lines = complaints.map(
      ({ where, path, what }) => `  ${where}: ${path === '' ? '' : `${path} `}${what}`,
    )
    const title =
      complaints.length === 1 ? 'The configuration has a mistake:' : 'The configuration has mistakes:'
    super([title, ...lines].join('\n'))
    this.name = 'ConfigError'
    this.complaints = complaints
  }
}

/** As they stand in the file, and the environment after it. */
function placeOf({ where }: Complaint): number {
  const [, line, column] = /:(\d+):(\d+)$/.exec(where) ?? []
  return line && column ? Number(line) * 10_000 + Number(column) : Number.MAX_SAFE_INTEGER
}
