import type { CommandRule } from '#contract/host.ts'
import type { CommandAsked } from '#contract/workspace-tool.ts'
import { ruleFor } from '#lib/command-pattern.ts'
import { ToolRefused } from '#lib/tool-refused.ts'
import { Asked, place as placeSize, refuseInput } from './asked.ts'

const longestMs = 600_000
const longestUnstreamedMs = 60_000
const fields = ['command', 'timeout', 'cwd', 'env', 'stream', 'confirm']

/** Throws ToolRefused. */
export function commandAsked(input: unknown, isStreamed: boolean): CommandAsked {
  const asked = new Asked(input, fields)
  const command = asked.content('command', { min: 1, max: 131_072 })
  if (command.includes('\0')) refuseInput('command', 'must not contain NUL characters')
  const timeout = asked.whole('timeout', { min: 1, max: longestMs }, 30_000)
  const stream = asked.flag('stream', false)
  if (!isStreamed && !stream && timeout > longestUnstreamedMs)
    refuseInput('timeout', `more than ${longestUnstreamedMs} ms only with stream: true`)
  return {
    command,
    timeout,
    stream,
    cwd: asked.optionalText('cwd', placeSize),
    env: asked.has('env') ? environmentOf(asked.raw('env')) : undefined,
    confirm: asked.flag('confirm', false),
  }
}

function environmentOf(given: unknown): Record<string, string> {
  const names = typeof given === 'object' && given !== null ? Object.keys(given) : []
  const asked = new Asked(given, names, 'env')
  return Object.fromEntries(
    names.map((name) => {
      if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
        refuseInput(
          `env.${name}`,
          'cannot be the name of a variable: letters, digits and _ only, and no digit first',
        )
      const value = asked.content(name, { max: 131_072 })
      return [
        name,
        value.includes('\0') ? refuseInput(`env.${name}`, 'must not contain NUL characters') : value,
      ]
    }),
  )
}

/** Throws ToolRefused for what the rules do not let pass. */
export function refuseByRules(rules: readonly CommandRule[], { command, confirm }: CommandAsked): void {
  const rule = ruleFor(rules, command)
  if (!rule || rule.decision === 'allow' || (rule.decision === 'ask' && confirm === true)) return
  const why = rule.decision === 'deny' ? 'refuses it' : 'says that a person has to confirm this'
  throw new ToolRefused('command_refused', `The rule ${JSON.stringify(rule.pattern)} ${why}`, {
    rule: rule.pattern,
    decision: rule.decision,
  })
}
