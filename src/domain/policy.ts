import type { ApprovalAsked } from '#contract/agent-event.ts'
import type { PermissionPolicy } from '#contract/agent.ts'
import type { PolicyRule, RuleEffect } from '#contract/approval.ts'
import { fits } from './glob.ts'

// What is answered without a person. It is decided outside the boundary, from what the agent says that it wants: a rule
// that allows is therefore read narrowly, and one that refuses or asks is read widely.

export type Request = Pick<ApprovalAsked, 'kind' | 'tool' | 'subject' | 'readOnly'>
/** Without an agent it is for every one. */
export type Rule = Pick<PolicyRule, 'tool' | 'argument' | 'effect'> & { agentId?: string | null }

interface Known {
  policy: PermissionPolicy
  /** Those for this agent and those for every agent: a refusal wins, then what is said of this agent, then asking. */
  rules: readonly Rule[]
  /** Those of the configuration, after the others: the first that fits decides. */
  configured?: readonly Rule[]
  request: Request
}

export function decide({ policy, rules, configured = [], request }: Known): RuleEffect {
  if (request.kind !== 'tool') return decideForm(policy, request)
  const fitting = rules.filter((rule) => isAbout(rule, request)).toSorted((a, b) => rank(a) - rank(b))
  const rule = fitting[0] ?? configured.find((one) => isAbout(one, request))
  return rule?.effect ?? decideTool(policy, request)
}

/** A question has no answer but a person's; a plan is a thing that can be let pass. */
function decideForm(policy: PermissionPolicy, { kind }: Request): RuleEffect {
  if (policy === 'deny') return 'deny'
  return policy === 'all' && kind === 'plan' ? 'allow' : 'ask'
}

function decideTool(policy: PermissionPolicy, { readOnly }: Request): RuleEffect {
  if (policy === 'all') return 'allow'
  if (policy === 'deny') return 'deny'
  return policy === 'reads' && readOnly ? 'allow' : 'ask'
}

function rank({ effect, agentId }: Rule): number {
  if (effect === 'deny') return 0
  return (agentId ? 1 : 3) + (effect === 'ask' ? 0 : 1)
}

function isAbout({ tool, argument, effect }: Rule, request: Request): boolean {
  if (!fits(tool, request.tool)) return false
  if (argument === null) return true
  if (request.subject === null) return false
  return effect === 'allow'
    ? allows(argument, request.tool, request.subject)
    : mentions(argument, request.subject)
}

/** With these one command becomes two, or writes elsewhere. */
const shellOperators = /[;&|<>()`$\r\n]/
/** Tools whose subject is a file or an address. Any other may be a shell, whatever it is called. */
const notShells =
  /^(?:(?:multi|notebook)?(?:read|write|edit)|ls|list|glob|grep|search|replace|patch|fetch|web_?(?:fetch|search)|(?:read|write|edit|list|search)_(?:file|files|many_files|directory|file_content))$/i
const wayUp = /(?:^|[/\\])\.\.(?:[/\\]|$)/

/** A `*` in a rule for commands never stands for a shell operator, and one for files never leads upwards. */
function allows(argument: string, tool: string, subject: string): boolean {
  if (!notShells.test(tool)) return fits(argument, subject, shellOperators)
  return fits(argument, subject) && (!wayUp.test(subject) || wayUp.test(argument))
}

/** Also in the middle of a longer command, however it is spaced. */
const mentions = (argument: string, subject: string): boolean =>
  [subject, ...subject.split(/[;&|<>()`$\r\n]+/)]
    .flatMap((part) => [part, part.replaceAll(/\s+/g, ' ').trim()])
    .some((part) => fits(argument, part))

interface Policies {
  [name: string]: { rules: { tool: string; argument?: string | undefined; decision: RuleEffect }[] }
}

/** What the configuration says of every agent: the policy that it calls `default`. */
export const configuredRules = (policies: Policies): Rule[] =>
  (policies['default']?.rules ?? []).map(({ tool, argument = null, decision }) => ({
    tool,
    argument,
    effect: decision,
  }))
