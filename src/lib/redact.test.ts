import { expect, it } from 'vitest'
import { keepOutOfLogs, keepVariablesOutOfLogs, redact, redactLine, redactText } from './redact.ts'

const SECRET = 'hunter2hunter2'
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl'

// Each holds the secret somewhere; none may come out with it.
it.each<[string, unknown]>([
  ['a header', { req: { headers: { authorization: `Bearer ${SECRET}` } } }],
  ['a header with another case', { headers: { 'Proxy-Authorization': SECRET } }],
  ['a list of headers', { rawHeaders: ['Host', 'x', 'X-Api-Key', SECRET] }],
  ['headers as pairs', { headers: [{ name: 'authorization', value: SECRET }] }],
  ['a cookie', { headers: { cookie: `a=${SECRET}`, 'set-cookie': [`b=${SECRET}`] } }],
  ['a field deep down', { a: [{ b: { c: { password: SECRET } } }] }],
  ['a field in snake case', { client_secret: SECRET, access_token: SECRET }],
  ['a field in camel case', { sessionKey: SECRET, apiKey: SECRET, ownerToken: SECRET }],
  ['a field in one word', { apikey: SECRET, PASSWD: SECRET }],
  ['a variable', { env: { ANTHROPIC_API_KEY: SECRET, MY_SECRET: SECRET } }],
  ['`key`', { key: SECRET }],
  ['`token` that holds more', { token: { value: SECRET }, tokens: [SECRET] }],
  ['a fragment', `Signalbox ready at http://127.0.0.1:4100/#token=${SECRET}`],
  ['a query', { url: `/socket?ticket=${SECRET}&a=1` }],
  ['a query of another', { url: `/x?a=1&access_token=${SECRET}` }],
  ['an address with a password', `cannot reach postgres://ada:${SECRET}@db:5432/box`],
  ['an address without a user', `redis://:${SECRET}@cache`],
  ['a bearer in a text', `sent Authorization: Bearer ${SECRET} to x`],
  ['basic', { message: `Basic ${SECRET}` }],
  ['a header in a text', `GET / HTTP/1.1\r\nX-Auth-Token: ${SECRET}\r\n`],
  ['JSON in a text', { body: JSON.stringify({ password: SECRET, n: 1 }) }],
  ['JSON in JSON in a text', { body: JSON.stringify({ body: JSON.stringify({ api_key: SECRET }) }) }],
  ['arguments', { argv: ['--password', SECRET, `--token=${SECRET}`] }],
  ['a variable in a text', `PGPASSWORD=${SECRET} psql`],
  ['YAML in a text', `password: ${SECRET}`],
  ['a JWT', JWT],
  ['a known kind of key', ['sk', 'ant', 'api03', SECRET.repeat(2)].join('-')],
  ['a private key', `-----BEGIN PRIVATE KEY-----\n${SECRET}\n-----END PRIVATE KEY-----`],
  ['bytes', { body: { type: 'Buffer', data: [...Buffer.from(SECRET)] } }],
  ['a stack', { err: { message: 'x', stack: `Error: x\n at http://a/?token=${SECRET}:1` } }],
])('takes a secret out of %s', (_, value) => {
  const out = redactLine(JSON.stringify({ msg: 'm', value }))
  expect(out).not.toContain(SECRET)
  expect(out).not.toContain(JWT)
  expect(out).not.toContain('hunter2')
  expect(out).not.toContain(String([...Buffer.from(SECRET)]))
  expect(out).toMatch(/\[redacted\]|\[14 bytes\]/)
  expect(JSON.parse(out)).toMatchObject({ msg: 'm' })
})

it('leaves alone what is no secret', () => {
  const plain = {
    msg: 'token expired after 30 days, see docs/tokens.md',
    maxOutputTokens: 8192,
    tokens: 12,
    hasToken: true,
    keyboard: 'qwerty',
    monkey: 'see',
    tokenSource: '/home/ada/.signalbox/token',
    password: null,
    path: '/api/v1/tasks',
    url: 'http://127.0.0.1:4100/board?task=1&q=key',
    secretary: 'Ada',
    err: { message: 'column "key" does not exist', code: '42703' },
    time: '2026-01-01T00:00:00.000Z',
  }
  expect(redact(plain)).toEqual(plain)
})

it('takes out values that it was told of, wherever they stand', () => {
  keepOutOfLogs('correct horse&battery', 'short', undefined)
  expect(redactText('x correct horse&battery y correct%20horse%26battery z short')).toBe(
    'x [redacted] y [redacted] z short',
  )
})

it('knows the secrets among the variables by their names', () => {
  keepVariablesOutOfLogs({
    SOME_API_KEY: 'value-of-the-key',
    DATABASE_URL: 'postgres://ada:p%40ss-word-1@db/box',
    OTHER_URL: 'postgres://ada:w%40rd-of-embedded@/box?host=/run/x',
    SHELL: '/bin/bash-of-mine',
  })
  const text = redactText('a value-of-the-key b p@ss-word-1 c w@rd-of-embedded d /bin/bash-of-mine')
  expect(text).toBe('a [redacted] b [redacted] c [redacted] d /bin/bash-of-mine')
})

it('does not take the folder one stands in for a password', () => {
  keepVariablesOutOfLogs({ PWD: '/home/someone', OLDPWD: '/srv/elsewhere' })
  expect(redactText('kept in /home/someone/.signalbox, not in /srv/elsewhere')).toBe(
    'kept in /home/someone/.signalbox, not in /srv/elsewhere',
  )
})

it('survives a line that is not JSON', () => {
  expect(redactLine(`not json ?token=${SECRET}`)).toBe('not json ?token=[redacted]')
})

it('takes time in proportion to the text, also for hostile ones', () => {
  const parts = [
    'a',
    'token',
    ':',
    '=',
    '"',
    '\\',
    ' ',
    'bearer ',
    'basic ',
    'eyJ',
    'eyJaaaaaaaa.',
    'a://',
    '://a:',
    '@',
  ]
  const more = [
    'password ',
    '?token',
    'x-',
    'x-key',
    'sk-',
    'cookie:',
    '-----BEGIN PRIVATE KEY-----',
    'é',
    '\n',
  ]
  for (const part of [...parts, ...more])
    for (const end of ['', '=', ':', '\0']) expect(redactText(part.repeat(20_000) + end)).toBeTypeOf('string')
})
