import { describe, expect, it } from 'vitest'
import { readToml } from './toml.ts'

describe('TOML', () => {
  it('is read as people write it', () => {
    const text = `
# a comment
model = "gpt-5" # another
notify = ["sh", '-c', "echo \\"hi\\" \\u00e9"]
[features]
web.search = true

[mcp_servers.docs]
command = "npx"
args = [
  "-y",  # first
  "docs-mcp",
]
env = { "API_KEY" = "a=b#c", LEVEL = '2' }
tool_timeout_sec = 60.5
startup = 1_000

[mcp_servers."with space".env]
PATH = 'C:\\new'
LONG = """
one \\
   two"""

[[profiles]]
name = "a"
[[profiles]]
name = "b"
`
    expect(readToml(text)).toEqual({
      model: 'gpt-5',
      notify: ['sh', '-c', 'echo "hi" é'],
      features: { web: { search: true } },
      mcp_servers: {
        docs: {
          command: 'npx',
          args: ['-y', 'docs-mcp'],
          env: { API_KEY: 'a=b#c', LEVEL: '2' },
          tool_timeout_sec: 60.5,
          startup: 1000,
        },
        'with space': { env: { PATH: 'C:\\new', LONG: 'one two' } },
      },
      profiles: [{ name: 'a' }, { name: 'b' }],
    })
  })

  it.each([
    ['a = "no end', /line 1: a string does not end/],
    ['a = 1\na = 2', /line 2: a is there twice/],
    ['a = [1, 2', /is missing/],
    ['a = 1 b = 2', /line goes on/],
    ['= 1', /a key is missing/],
    ['a = "\\q"', /\\q is not known/],
    [`a = ${'['.repeat(200)}`, /too deep/],
  ])('says where it is not: %s', (text, message) => {
    expect(() => readToml(text)).toThrow(message)
  })

  it('takes __proto__ for a key like any other', () => {
    const read = readToml('[__proto__]\npolluted = true')
    expect(Object.keys(read)).toEqual(['__proto__'])
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})
