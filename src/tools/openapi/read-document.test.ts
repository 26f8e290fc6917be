import { expect, it } from 'vitest'
import { BadDocument } from './document.ts'
import { readDocument } from './read-document.ts'

const paths = { '/a': { get: {} } }
const refused = async (text: string) => {
  const error: unknown = await readDocument(text).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(BadDocument)
  return error instanceof Error ? error.message : ''
}

it('reads JSON and YAML', async () => {
  const json = await readDocument(
    JSON.stringify({ openapi: '3.1.0', info: { title: 'Pets', version: 2 }, paths }),
  )
  expect(json).toMatchObject({ is30: false, title: 'Pets', version: '2' })
  const yaml = await readDocument(
    'openapi: 3.0.3\ninfo: {title: Pets, version: 1.0.0}\npaths:\n  /a:\n    get: {}\n',
  )
  expect(yaml).toMatchObject({ is30: true, version: '1.0.0', root: { paths } })
  expect(await readDocument('{openapi: 3.0.3, paths: {/a: {get: {}}}}')).toMatchObject({ is30: true })
})

it.each([
  ['', /neither a JSON nor a YAML object/],
  ['[1]', /neither a JSON nor a YAML object/],
  ['hello', /neither a JSON nor a YAML object/],
  ['{"openapi": "3.0.0", ', /not JSON/],
  ['a: [1', /neither JSON nor YAML/],
  ['a: 1\na: 2', /neither JSON nor YAML: Map keys must be unique/],
  ['{"a": 1}', /no field "openapi"/],
  ['{"swagger": "2.0", "paths": {}}', /Swagger 2\.0; OpenAPI 3\.0 and 3\.1 are understood/],
  ['{"openapi": "4.0.0", "paths": {"/a": {}}}', /OpenAPI "4\.0\.0"; 3\.0 and 3\.1/],
  ['{"openapi": "3.0.0"}', /has no paths/],
  ['{"openapi": "3.0.0", "paths": {}}', /has no paths/],
  ['{"openapi": "3.0.0", "paths": []}', /has no paths/],
])('refuses %j, and says why', async (text, why) => {
  expect(await refused(text)).toMatch(why)
})

it('is not filled by a few lines of YAML that stand for a million others', async () => {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]']
  for (let level = 1; level < 12; level += 1) {
    lines.push(`a${level}: &a${level} [${Array.from({ length: 10 }, () => `*a${level - 1}`).join(', ')}]`)
  }
  expect(await refused(`openapi: 3.0.0\npaths: {/a: {}}\n${lines.join('\n')}`)).toMatch(/alias/i)
})

it('is not felled by YAML that contains itself, or has no bottom', async () => {
  expect(await refused('openapi: 3.0.0\npaths: &p\n  /a: *p\n')).toMatch(/circular/)
  expect(await refused(`openapi: 3.0.0\npaths: ${'['.repeat(20_000)}`)).toMatch(/neither JSON nor YAML/)
})

it('refuses JSON that has no bottom', async () => {
  const deep = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`
  expect(await refused(`{"openapi": "3.0.0", "paths": {"/a": ${deep}}}`)).toMatch(/nested deeper than 200/)
})

it('refuses what is larger than 10 MB', async () => {
  expect(await refused(`openapi: 3.0.0\n#${'x'.repeat(10_485_760)}`)).toMatch(/larger than 10 MB/)
})
