import { describe, expect, it } from 'vitest'
import { SourceConfig } from '#contract/source.ts'
import { redactText } from '#lib/redact.ts'
import { hidden, hideSecrets, shownAgain, withSecrets } from './source-secrets.ts'

const config = (more: object): SourceConfig =>
  SourceConfig.parse({ transport: 'stdio', command: 'x', ...more })

describe('the secrets of a source', () => {
  const whole = config({
    env: { TOKEN: 'tok-1234567', LEVEL: '3', FROM: '${GITHUB_TOKEN}', EMPTY: '' },
    headers: { Authorization: 'Bearer abcdef123', 'X-Ref': 'Bearer ${REF}' },
    auth: { type: 'oauth', clientId: 'us', clientSecret: 'cs-1234567' },
    url: 'https://me:pass-word-1@host/mcp?api_key=k-123456&page=2',
    args: ['--api-key', 'k9-000111222', '--verbose'],
  })
  const { config: shown, secrets } = hideSecrets(whole)

  it('are all hidden, and nothing else is', () => {
    expect(shown.env).toEqual({ TOKEN: hidden, LEVEL: hidden, FROM: '${GITHUB_TOKEN}', EMPTY: '' })
    expect(shown.headers).toEqual({ Authorization: hidden, 'X-Ref': 'Bearer ${REF}' })
    expect(shown.auth).toEqual({ type: 'oauth', clientId: 'us', clientSecret: hidden, scopes: [] })
    expect(shown.url).toBe(`https://me:${hidden}@host/mcp?api_key=${hidden}&page=2`)
    expect(shown.args).toEqual(['--api-key', hidden, '--verbose'])
    const { config: alone } = hideSecrets(config({ url: 'https://key-alone@host/mcp' }))
    expect(alone.url).toBe(`https://${hidden}@host/mcp`)
    expect(JSON.stringify(shown)).not.toMatch(/1234567|abcdef123|pass-word|k-123456|k9-000111222/)
  })

  it('are there again when they are put back, and stay out of logs from then on', () => {
    expect(withSecrets(shown, secrets)).toEqual(whole)
    expect(redactText('it says tok-1234567 aloud')).not.toContain('tok-1234567')
  })

  it('are not taken for what they are shown as', () => {
    expect(shownAgain(whole)).toBeUndefined()
    expect(shownAgain(shown)).toBe('env.TOKEN')
    expect(shownAgain(config({ url: `https://a:${hidden}@b` }))).toBe('url')
  })
})
