import { describe, expect, it } from 'vitest'
import { ownSecretsOf } from './own-secrets.ts'

const given = {
  env: { KEY: 'env-key-1', PEM: 'first-line-of-it\nsecond-line-of-it', LEVEL: 'info', PORT: '80' },
  headers: { Authorization: 'Bearer head-key-2', 'X-Basic': `Basic ${btoa('me:deep-pass-3')}` },
  args: ['serve', '--api-key=arg-key-4', '--token', 'arg-key-5', 'postgres://me:arg-pass-6@db/x'],
  url: 'https://u%40x:url%2Bpass7@host/mcp?api_key=query-key-8&page=harmless',
  auth: { token: 'ann:auth-pass-9', clientSecret: 'client "secret" 10' },
}
const { hide, hideAll } = ownSecretsOf(given)

describe('the secrets of a source in what is told of it', () => {
  it.each([
    'env-key-1',
    'first-line-of-it second-line-of-it',
    'second-line-of-it',
    String.raw`first-line-of-it\nsecond-line-of-it`,
    'head-key-2',
    'Bearer head-key-2',
    btoa('me:deep-pass-3'),
    'deep-pass-3',
    'arg-key-4',
    'arg-key-5',
    'arg-pass-6',
    'url%2Bpass7',
    'url+pass7',
    btoa('u@x:url+pass7'),
    'query-key-8',
    'ann:auth-pass-9',
    'auth-pass-9',
    btoa('ann:auth-pass-9'),
    Buffer.from('env-key-1').toString('base64url'),
    'client "secret" 10',
    String.raw`client \"secret\" 10`,
    encodeURIComponent('client "secret" 10'),
  ])('are cut out in every form: %s', (form) => {
    const told = hide(`before ${form} after`)
    expect(told).toMatch(/^before .*\[redacted\].* after$/)
    expect(told).not.toContain(form)
  })

  it('are all that is cut out', () => {
    const told =
      'GET https://host/mcp?page=harmless of serve was answered with 503 at port 80: no information'
    expect(hideAll(told)).toBe(told)
    expect(hide('level info, informed')).toBe('level [redacted], informed')
  })

  it('are cut out where the text was cut in the middle of them, and only there', () => {
    const long = 'x '.repeat(60)
    expect(hideAll(`${long}env-ke…`)).toBe(`${long}[redacted]…`)
    expect(hideAll(`${long}"head-key…"`)).toBe(`${long}"[redacted]…"`)
    expect(hideAll('no env')).toBe('no env')
  })
})
