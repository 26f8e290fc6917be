import type { Principal } from '#contract/access.ts'
import type { CommandAsked } from '#contract/workspace-tool.ts'
import { isPerson } from './access.ts'
import { ruleAbout } from './policy.ts'
import type { Rule } from './policy.ts'
import { Problem } from './problem.ts'

interface Rules {
  rules: readonly Rule[]
  configured: readonly Rule[]
}

type Asked = Pick<CommandAsked, 'command' | 'confirm'> & {
  /** By the registry, which asks people on behalf of agents: it was let pass there. */
  wasAsked?: boolean
}

/** Throws when a rule for the tool `command` forbids this one, or wants that a person has seen it. Without a rule it may be run. */
export function checkCommand(
  by: Principal,
  { command, confirm, wasAsked = false }: Asked,
  known: Rules,
): void {
  const request = { kind: 'tool', tool: 'command', subject: command, readOnly: false } as const
  const rule = ruleAbout({ ...known, request }, command)
  if (!rule || rule.effect === 'allow') return
  const context = { rule: { tool: rule.tool, argument: rule.argument, effect: rule.effect } }
  const named = rule.argument === null ? `for ${rule.tool}` : `for ${rule.tool} ${rule.argument}`
  if (rule.effect === 'deny')
    throw new Problem('command_refused', `A rule ${named} forbids this command`, context)
  if (wasAsked || (confirm === true && isPerson(by))) return
  const what = isPerson(by) ? 'send it again with confirm: true' : 'let one run it'
  throw new Problem(
    'command_needs_confirm',
    `A rule ${named} wants a person to say yes to this command: ${what}`,
    context,
  )
}
