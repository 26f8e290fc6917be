import { expect, test } from 'vitest'
import type { Principal } from '#contract/access.ts'
import { owner } from './access.ts'
import { checkCommand } from './command.ts'
import type { Rule } from './policy.ts'
import { Problem } from './problem.ts'

const rule = (argument: string | null, effect: Rule['effect'], more: Partial<Rule> = {}): Rule => ({
  tool: 'command',
  argument,
  effect,
  ...more,
})

function check(
  command: string,
  rules: Rule[],
  { confirm = false, by = owner, configured = [] as Rule[] } = {},
) {
  try {
    checkCommand(by, { command, confirm }, { rules, configured })
    return 'may'
  } catch (error) {
    return error instanceof Problem ? error.code : error
  }
}

test('without a rule a command may be run: somebody asked for it', () => {
  expect(check('rm -rf /', [])).toBe('may')
  expect(check('rm x', [rule('rm *', 'deny', { tool: 'Bash' })])).toBe('may')
})

test('what a rule forbids is refused, also in the middle of another command, and the rule is named', () => {
  const forbidden = [rule('rm *', 'deny')]
  for (const command of ['rm x', 'true && rm x', 'echo $(rm x)', '  rm   x'])
    expect(check(command, forbidden, { confirm: true })).toBe('command_refused')
  expect(check('farm x', forbidden)).toBe('may')
  expect(() => checkCommand(owner, { command: 'rm x' }, { rules: forbidden, configured: [] })).toThrow(
    /rule for command rm \*/,
  )
})

test('what a rule asks for needs a person who confirms it', () => {
  const asked = [rule('git push*', 'ask')]
  expect(check('git push', asked)).toBe('command_needs_confirm')
  expect(check('git push', asked, { confirm: true })).toBe('may')
  const agent = { ...owner, kind: 'agent' } as unknown as Principal
  expect(check('git push', asked, { confirm: true, by: agent })).toBe('command_needs_confirm')
  const known = { rules: [...asked, rule('rm *', 'deny')], configured: [] }
  checkCommand(agent, { command: 'git push', wasAsked: true }, known)
  expect(() => checkCommand(agent, { command: 'rm x', wasAsked: true }, known)).toThrow(/forbids/)
})

test('the configuration speaks where no rule does, and a refusal wins', () => {
  const configured = [rule('git *', 'allow'), rule(null, 'deny')]
  expect(check('git log', [], { configured })).toBe('may')
  expect(check('git log; ls', [], { configured })).toBe('command_refused')
  expect(check('git log', [rule('git *', 'deny')], { configured })).toBe('command_refused')
  expect(check('ls', [rule('*', 'allow')], { configured })).toBe('may')
})
