import type { ApprovalAsked } from '#contract/agent-event.ts'
import type { PermissionPolicy } from '#contract/agent.ts'
import type { PolicyRule, RuleEffect } from '#contract/approval.ts'
import type { CommandRule } from '#contract/host.ts'
import { coversCommand, coversPlace, mentions } from '#lib/command-pattern.ts'
import { fits } from '#lib/glob.ts'
import { canAllowOnce } from './approval.ts'

// What is answered without a person. It is decided outside the boundary, from what the agent says that it wants: a rule
// that allows is therefore read narrowly, and one that refuses or asks is read widely.

export type Request = Pick<ApprovalAsked, 'kind' | 'tool' | 'subject' | 'subjects' | 'isPlace' | 'readOnly'> &
  Partial<Pick<ApprovalAsked, 'options'>> & {
    /** What rules may call the tool besides its name. */
    alias?: string
  }
/** Without an agent it is for every one. */
export type Rule = Pick<PolicyRule, 'tool' | 'argument' | 'effect'> & { agentId?: string | null }

export interface Known {
  policy: PermissionPolicy
  /** Those for this agent and those for every agent: a refusal wins, then what is said of this agent, then asking. */
  rules: readonly Rule[]
  /** Those of the configuration, after the others: the first that fits decides. */
  configured?: readonly Rule[]
  request: Request
}

/** What is about several things is refused or asked for when one of them is, and let pass when all of them are. */
export function decide(known: Known): RuleEffect {
  const { policy, request } = known
  const subjects = subjectsOf(request)
  const effects = new Set(
    (subjects.length > 0 ? subjects : [null]).map(
      (subject) => byRules(known, subject) ?? byPolicy(policy, request),
    ),
  )
  if (effects.has('deny')) return 'deny'
  return effects.has('ask') || isForAPerson(known) ? 'ask' : 'allow'
}

/**
 * About a tool of our own endpoint, which asks by itself: so nobody is asked here too. By this name a rule can still refuse it, and so
 * it is refused, or passed on.
 */
export function decideOwnTool(known: Pick<Known, 'rules' | 'configured' | 'request'>): RuleEffect {
  const isDenied = ruleAbout(known, known.request.subject)?.effect === 'deny'
  if (isDenied || ruleAbout(known, null)?.effect === 'deny') return 'deny'
  return canAllowOnce(known.request.options) ? 'allow' : 'ask'
}

/** What the endpoint itself decides. Agents know its tools by other names: what refuses one of those refuses it. */
export function decideCall(known: Known, otherNames: readonly string[]): RuleEffect {
  const isDenied = otherNames.some(
    (tool) => decideOwnTool({ ...known, request: { ...known.request, tool } }) === 'deny',
  )
  return isDenied ? 'deny' : decide(known)
}

/** A rule can refuse or ask for anything, but let pass only what a tool does. */
export function byRules(known: Known, subject: string | null): RuleEffect | undefined {
  const effect = ruleAbout(known, subject)?.effect
  return effect === 'allow' && known.request.kind !== 'tool' ? undefined : effect
}

/** The rule that decides about this, if one does. */
export function ruleAbout(
  { rules, configured = [], request }: Pick<Known, 'rules' | 'configured' | 'request'>,
  subject: string | null,
): Rule | undefined {
  const isAboutIt = (rule: Rule) => isAbout(rule, request, subject)
  const fitting = rules.filter(isAboutIt).toSorted((a, b) => rank(a) - rank(b))
  return fitting[0] ?? configured.find(isAboutIt)
}

/** A question has no answer but a person's; a plan is a thing that can be let pass. */
export function byPolicy(policy: PermissionPolicy, { kind, readOnly }: Request): RuleEffect {
  if (policy === 'deny') return 'deny'
  if (policy === 'all') return kind === 'question' ? 'ask' : 'allow'
  return policy === 'reads' && readOnly && kind === 'tool' ? 'allow' : 'ask'
}

/** Nobody can tell whether a refusing or asking rule is about it, or the only yes there is would be one for good. */
function isForAPerson({ rules, configured = [], request }: Known): boolean {
  const isUnclear = [...rules, ...configured].some(
    (rule) => rule.effect !== 'allow' && rule.argument !== null && isOfTool(rule, request),
  )
  return (isUnclear && subjectsOf(request).length === 0) || !canAllowOnce(request.options)
}

function rank({ effect, agentId }: Rule): number {
  if (effect === 'deny') return 0
  return (agentId ? 1 : 3) + (effect === 'ask' ? 0 : 1)
}

const subjectsOf = ({ subject, subjects }: Request): readonly string[] =>
  subjects ?? (subject === null ? [] : [subject])

/** An agent may spell its tools as it likes: only a rule that allows is particular about it. */
const isOfTool = ({ tool, effect }: Rule, request: Request): boolean =>
  [request.tool, request.alias ?? request.tool].some((name) =>
    effect === 'allow' ? fits(tool, name) : fits(tool.toLowerCase(), name.toLowerCase()),
  )

function isAbout(rule: Rule, request: Request, subject: string | null): boolean {
  const { argument, effect } = rule
  if (!isOfTool(rule, request)) return false
  if (argument === null || subject === null) return argument === null
  if (effect !== 'allow') return mentions(argument, subject)
  return request.isPlace ? coversPlace(argument, subject) : coversCommand(argument, subject)
}

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

/** What is said of the tool `command`, in the order in which it counts: the first that fits decides. */
export const commandRules = ({
  rules,
  configured,
}: {
  rules: readonly Rule[]
  configured: readonly Rule[]
}) =>
  [...rules.toSorted((a, b) => rank(a) - rank(b)), ...configured]
    .filter(({ tool }) => tool === 'command')
    .map(({ argument, effect }): CommandRule => ({ pattern: argument ?? '*', decision: effect }))
