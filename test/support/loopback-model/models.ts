import type { IncomingHttpHeaders } from 'node:http'

/** The models that it says it has, as each API lists them. */
export function modelsFor(pathname: string, headers: IncomingHttpHeaders): object {
  if (pathname.startsWith('/v1beta/')) return { models: ['gemini-2.5-flash', 'gemini-2.5-pro'].map(geminis) }
  if (headers['anthropic-version'] !== undefined)
    return { data: ['claude-sonnet-4-5', 'claude-haiku-4-5'].map(anthropics), has_more: false }
  return { object: 'list', data: ['gpt-5-mini', 'a-model', 'text-embedding-3-small'].map(openAis) }
}

const geminis = (name: string) => ({
  name: `models/${name}`,
  displayName: name,
  inputTokenLimit: 1_048_576,
  outputTokenLimit: 65_536,
  supportedGenerationMethods: ['generateContent', 'countTokens'],
})

const anthropics = (id: string) => ({
  type: 'model',
  id,
  display_name: id,
  created_at: '2025-09-29T00:00:00Z',
})

const openAis = (id: string) => ({ id, object: 'model', created: 1_754_073_306, owned_by: 'loopback' })
