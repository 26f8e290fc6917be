import type { AuditEntry, AuditExport } from '#contract/audit.ts'

const columns = [
  'id',
  'at',
  'kind',
  'actor',
  'subject',
  'outcome',
  'durationMs',
  'sessionId',
  'workspaceId',
  'detail',
] as const

/** Entries as a file, written as they are read. */
export function auditFile(parts: AsyncIterable<AuditEntry[]>, format: AuditExport['format']): Response {
  const isTable = format === 'csv'
  const bytes = new TextEncoder()
  async function* written() {
    if (isTable) yield bytes.encode(`${columns.join(',')}\r\n`)
    for await (const part of parts)
      yield bytes.encode(
        part.map((entry) => (isTable ? inTable(entry) : `${JSON.stringify(entry)}\n`)).join(''),
      )
  }
  return new Response(ReadableStream.from(written()), {
    headers: {
      'content-type': isTable ? 'text/csv; charset=utf-8' : 'application/x-ndjson',
      'content-disposition': `attachment; filename="signalbox-audit.${format}"`,
    },
  })
}

const inTable = (entry: AuditEntry): string =>
  `${columns.map((column) => cell(column === 'detail' ? JSON.stringify(entry.detail) : entry[column])).join(',')}\r\n`

/** What agents wrote must not become a formula where the table is opened. */
function cell(value: string | number | null): string {
  if (typeof value === 'number' || value === null) return String(value ?? '')
  const plain = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}
