import { describe, expect, test } from 'vitest'
import { decide, decideOwnTool } from './policy.ts'
import type { Request, Rule } from './policy.ts'

const bash = (subject: string | null): Request => ({ kind: 'tool', tool: 'Bash', subject, readOnly: false })
const read = (subject: string): Request => ({ kind: 'tool', tool: 'Read', subject, readOnly: true })
const rule = (
  effect: Rule['effect'],
  tool: string,
  argument: string | null = null,
  agentId?: string,
): Rule => ({
  effect,
  tool,
  argument,
  ...(agentId && { agentId }),
})
const decided = (request: Request, ...rules: Rule[]) => decide({ policy: 'ask', rules, request })

describe('a policy without rules', () => {
  test.each([
    ['ask', 'ask', 'ask', 'ask', 'ask'],
    ['reads', 'ask', 'allow', 'ask', 'ask'],
    ['all', 'allow', 'allow', 'ask', 'allow'],
    ['deny', 'deny', 'deny', 'deny', 'deny'],
  ] as const)('%s: a command %s, a look %s, a question %s, a plan %s', (policy, ...expected) => {
    const requests = [
      bash('ls'),
      read('/a'),
      { ...bash(null), kind: 'question' },
      { ...bash(null), kind: 'plan' },
    ]
    expect(requests.map((request) => decide({ policy, rules: [], request: request as Request }))).toEqual(
      expected,
    )
  })

  test('asks although a question looks like a look', () => {
    expect(decide({ policy: 'reads', rules: [], request: { ...read('/a'), kind: 'question' } })).toBe('ask')
  })
})

describe('rules', () => {
  test('come before the policy', () => {
    const request = bash('git status')
    expect(decide({ policy: 'deny', rules: [rule('allow', 'Bash')], request })).toBe('allow')
    expect(decide({ policy: 'all', rules: [rule('deny', 'Bash')], request })).toBe('deny')
    expect(decide({ policy: 'all', rules: [rule('ask', 'Bash')], request })).toBe('ask')
    expect(decide({ policy: 'all', rules: [rule('deny', 'Write')], request })).toBe('allow')
  })

  test('that refuse win over those that allow, also over those of the agent', () => {
    const allow = rule('allow', 'Bash', 'git *', 'agent')
    expect(decided(bash('git push'), allow, rule('deny', 'Bash', 'git push*'))).toBe('deny')
    expect(decided(bash('git push'), rule('deny', 'Bash', 'git push*'), allow)).toBe('deny')
  })

  test('of the agent come before those for every agent, and asking before allowing', () => {
    expect(decided(bash('ls'), rule('ask', 'Bash'), rule('allow', 'Bash', null, 'agent'))).toBe('allow')
    expect(decided(bash('ls'), rule('allow', 'Bash'), rule('ask', 'Bash', null, 'agent'))).toBe('ask')
    expect(decided(bash('ls'), rule('allow', 'Bash'), rule('ask', 'B*'))).toBe('ask')
  })

  test('of the configuration come last, and the first that fits decides', () => {
    const configured = [rule('allow', 'Bash', 'npm test*'), rule('deny', 'Bash')]
    const asked = (subject: string, ...rules: Rule[]) =>
      decide({ policy: 'all', rules, configured, request: bash(subject) })
    expect([asked('npm test'), asked('ls'), asked('ls', rule('ask', '*'))]).toEqual(['allow', 'deny', 'ask'])
  })

  test('let no question and no plan pass, but refuse them and ask', () => {
    for (const kind of ['question', 'plan'] as const) {
      const request = { ...bash('x'), kind }
      expect(decided(request, rule('allow', '*'))).toBe('ask')
      expect(decided(request, rule('allow', '*'), rule('deny', '*'))).toBe('deny')
      expect(decide({ policy: 'all', rules: [rule('ask', 'bash')], request })).toBe('ask')
      expect(decide({ policy: 'deny', rules: [rule('allow', '*')], request })).toBe('deny')
    }
  })

  test('with an argument never fit what has no subject', () => {
    expect(decided(bash(null), rule('allow', 'Bash', '*'))).toBe('ask')
    expect(decided(bash(null), rule('allow', 'Bash'))).toBe('allow')
  })

  test.each(['deny', 'ask'] as const)(
    'that %s an argument leave what has no subject to a person',
    (effect) => {
      const known = { rules: [rule(effect, 'Bash', 'rm *')], request: bash(null) }
      expect(decide({ policy: 'all', ...known })).toBe('ask')
      expect(decide({ policy: 'reads', ...known, request: { ...bash(null), readOnly: true } })).toBe('ask')
      expect(decide({ policy: 'deny', ...known })).toBe('deny')
      expect(
        decide({
          policy: 'all',
          rules: [rule('allow', 'Bash')],
          configured: known.rules,
          request: bash(null),
        }),
      ).toBe('ask')
      expect(decide({ policy: 'all', ...known, request: { ...bash(null), tool: 'Other' } })).toBe('allow')
    },
  )

  test('and policies give no yes that would be one for good', () => {
    const always = [{ id: 'a', label: 'Always', kind: 'allow_always' as const }]
    const once = [...always, { id: 'o', label: 'Once', kind: 'allow_once' as const }]
    for (const [options, expected] of [
      [always, 'ask'],
      [once, 'allow'],
      [[], 'allow'],
    ] as const) {
      const request = { ...bash('ls'), options: [...options] }
      expect(decided(request, rule('allow', 'Bash'))).toBe(expected)
      expect(decide({ policy: 'all', rules: [], request: { ...request, kind: 'plan' } })).toBe(expected)
    }
  })
})

describe('a request with several subjects', () => {
  const change = (...subjects: string[]): Request => ({
    kind: 'tool',
    tool: 'Edit',
    subject: subjects[0] ?? null,
    subjects,
    isPlace: true,
    readOnly: false,
  })

  test('is allowed when all of them are', () => {
    const allowed = rule('allow', 'Edit', 'src/*')
    expect(decided(change('src/a', 'src/b'), allowed)).toBe('allow')
    expect(decided(change('src/a', 'lib/b'), allowed, rule('allow', 'Edit', 'lib/*'))).toBe('allow')
    expect(decide({ policy: 'deny', rules: [allowed], request: change('src/a', '/b') })).toBe('deny')
    expect(decided(change('src/a', '/etc/passwd'), allowed)).toBe('ask')
    expect(decided(change('src/a', 'src/../x'), allowed)).toBe('ask')
    expect(decided(change(), allowed)).toBe('ask')
  })

  test.each(['deny', 'ask'] as const)('is one to %s when one of them is', (effect) => {
    const known = { policy: 'all' as const, rules: [rule(effect, 'Edit', '*.env')] }
    expect(decide({ ...known, request: change('src/a', '.env') })).toBe(effect)
    expect(decide({ ...known, request: change('src/a', 'src/b') })).toBe('allow')
  })
})

describe('a rule that allows commands', () => {
  const gitAllowed = rule('allow', 'Bash', 'git *')

  test.each([
    'git status',
    'git log --oneline -3',
    "git commit -m 'two words'",
    'git log main..feature',
    'git log main...feature ./...',
    'git add .env a.b',
  ])('allows %s', (command) => {
    expect(decided(bash(command), gitAllowed)).toBe('allow')
  })

  test.each([
    'git status; rm -rf /',
    'git status && rm -rf /',
    'git status || rm',
    'git status & rm',
    'git log | sh',
    'git log > /etc/passwd',
    'git log >> x',
    'git apply < x',
    'git $(rm -rf /)',
    'git ${x:-y}',
    'git $IFS',
    'git `rm -rf /`',
    'git status\nrm -rf /',
    'git status\rrm',
    'git <(rm)',
    'git diff (rm)',
    'git diff {a,b}',
    'git -C ../other status',
    'git -C.. status',
    'git --work-tree=.. status',
    'git diff a/../b',
    'git diff a/..',
    `git diff a/."."/b`,
    String.raw`git diff a/.\./b`,
    'git diff a/.?/b',
    'git diff a/.[.]/b',
    'git diff .*/b',
    'sudo git status',
    'gitx status',
  ])('does not allow %j', (command) => {
    expect(decided(bash(command), gitAllowed)).toBe('ask')
  })

  test('has operators only where it is written', () => {
    const piped = rule('allow', 'Bash', 'git log * | head')
    expect(decided(bash('git log -3 | head'), piped)).toBe('allow')
    expect(decided(bash('git log -3; rm -rf / | head'), piped)).toBe('ask')
  })

  test('is as careful with every tool, whatever it is called', () => {
    for (const tool of ['shell', 'run_shell_command', 'mcp__x__do', 'Read', 'fetch', 'Edit'])
      expect(decided({ ...bash('git a; b'), tool }, rule('allow', '*', 'git *'))).toBe('ask')
  })
})

describe('a rule that allows files and addresses', () => {
  const about = (tool: string, subject: string): Request => ({ ...bash(subject), tool, isPlace: true })
  test.each([
    ['Edit', 'src/*', 'src/app/(group)/page.ts', 'allow'],
    ['WebFetch', 'https://example.com/*', 'https://example.com/?a=1&b=2', 'allow'],
    ['read_file', '/repo/*', '/repo/a;b', 'allow'],
    ['Edit', 'src/*', 'src/../../etc/passwd', 'ask'],
    ['Edit', 'src/*', 'src/..', 'ask'],
    ['Edit', 'src/*', String.raw`src/..\..\x`, 'ask'],
    ['Edit', '../lib/*', '../lib/a.ts', 'allow'],
    ['Edit', '../lib/*', '../lib/../../etc/passwd', 'ask'],
    ['WebFetch', 'https://example.com/a/*', 'https://example.com/a/%2E%2e/b', 'ask'],
    ['Edit', 'src/*', 'src/[...slug]/page.ts', 'allow'],
    ['Edit', 'src/*', 'src/a..b', 'allow'],
  ])('%s %s: %s %s', (tool, argument, subject, expected) => {
    expect(decided(about(tool, subject), rule('allow', tool, argument))).toBe(expected)
  })
})

describe('a rule that refuses or asks', () => {
  test.each([
    'git push',
    'git push --force',
    'git push; true',
    'true && git push',
    'echo $(git push)',
    'ls\ngit push origin',
    'ls;  git   push',
    'echo `git push`',
    '{ git push; }',
    '(git push)',
    'if true; then git push; fi',
    'if git push; then true; fi',
    'for x in 1; do git push; done',
    'if false; then true; else git push; fi',
    'while ! git push; do true; done',
  ])('is about %j wherever it stands', (command) => {
    const request = bash(command)
    expect(decide({ policy: 'all', rules: [rule('deny', 'Bash', 'git push*')], request })).toBe('deny')
    expect(decide({ policy: 'all', rules: [rule('ask', 'Bash', 'git push*')], request })).toBe('ask')
  })

  test('is about a tool however it is spelt, and one that allows is not', () => {
    const request = { ...bash('git push'), tool: 'BASH' }
    expect(decide({ policy: 'all', rules: [rule('deny', 'Bash', 'git *')], request })).toBe('deny')
    expect(decide({ policy: 'all', rules: [rule('ask', 'b*')], request })).toBe('ask')
    expect(decided(request, rule('allow', 'Bash'))).toBe('ask')
  })

  test('is not about something else', () => {
    expect(
      decide({ policy: 'all', rules: [rule('deny', 'Bash', 'git push*')], request: bash('git status') }),
    ).toBe('allow')
  })
})

describe('a tool of our own endpoint, which asks by itself', () => {
  const own: Request = { kind: 'tool', tool: 'mcp__signalbox__github__x', subject: 'a', readOnly: false }
  const about = (request: Request, ...rules: Rule[]) => decideOwnTool({ rules, request })

  test('is asked about by nobody else', () => {
    expect(about(own)).toBe('allow')
    expect(about(own, rule('ask', '*'))).toBe('allow')
  })

  test('is refused where a rule refuses it, by the name that the agent has for it', () => {
    expect(about(own, rule('deny', 'mcp__signalbox__*'))).toBe('deny')
    expect(about(own, rule('allow', '*'), rule('deny', 'mcp__signalbox__*', 'a'))).toBe('deny')
    expect(about({ ...own, subject: null }, rule('deny', 'mcp__*'))).toBe('deny')
    expect(about(own, rule('deny', 'mcp__others__*'))).toBe('allow')
  })

  test('is for a person where the only yes there is would be one for good', () => {
    const options = [{ id: 'always', label: 'Always', kind: 'allow_always' as const }]
    expect(about({ ...own, options })).toBe('ask')
  })
})
