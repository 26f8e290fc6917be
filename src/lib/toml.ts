import { openTomlReader } from './toml-reader.ts'
import { appendTo, putIn, tableAt } from './toml-table.ts'
import type { Table } from './toml-table.ts'

/** As much of TOML as people write into configurations: tables, strings, numbers, flags, lists, inline tables. Throws SyntaxError. */
export function readToml(text: string): Record<string, unknown> {
  const root: Table = {}
  const reader = openTomlReader(text)
  let table = root
  for (;;) {
    reader.skipBlank()
    if (reader.isAtEnd()) return root
    if (reader.takes('[[')) {
      const path = reader.keys()
      reader.expect(']]')
      table = appendTo(root, path, reader.fail)
    } else if (reader.takes('[')) {
      const path = reader.keys()
      reader.expect(']')
      table = tableAt(root, path, reader.fail)
    } else {
      const path = reader.keys()
      reader.expect('=')
      putIn(table, path, reader.value(), reader.fail)
    }
    reader.endLine()
  }
}
