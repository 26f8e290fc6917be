import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'

test('the servers that others have written are there', () => {
  for (const name of ['everything', 'filesystem', 'memory'])
    expect(
      existsSync(join(inject('outsideTools'), 'node_modules/@modelcontextprotocol', `server-${name}`)),
    ).toBe(true)
})
