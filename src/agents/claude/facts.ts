import type { Choice, SessionFacts } from '#contract/agent-event.ts'
import { isRecord } from './frame.ts'
import type { Frame } from './frame.ts'

const modes: Choice[] = [
  { id: 'default', label: 'Ask', description: 'Asks before it changes anything' },
  { id: 'acceptEdits', label: 'Accept edits', description: 'Edits files without asking' },
  { id: 'plan', label: 'Plan', description: 'Only looks, and proposes a plan' },
  { id: 'dontAsk', label: "Don't ask", description: 'Does without what would need an answer' },
]
const auto: Choice = { id: 'auto', label: 'Auto', description: 'Claude judges what needs an answer' }
const bypass: Choice = {
  id: 'bypassPermissions',
  label: 'Bypass',
  description: 'Does everything without asking',
}

/** From the answer to `initialize`. Claude names its models there, but its modes nowhere: bypassing is offered only if it was started for it. */
export function factsOf(initialized: unknown, argv: readonly string[]): SessionFacts {
  if (!isRecord(initialized)) return {}
  const models = Array.isArray(initialized['models']) ? initialized['models'].filter(isRecord) : []
  const mode = textOf(initialized['current_permission_mode'])
  const version = textOf(initialized['claude_code_version'])
  const canBypass = argv.some((word) => /dangerously-skip-permissions|bypassPermissions/.test(word))
  return {
    models: models.flatMap(choiceOf),
    modes: [
      ...modes,
      ...(models.some((model) => model['supportsAutoMode'] === true) ? [auto] : []),
      ...(canBypass ? [bypass] : []),
    ],
    ...(mode !== undefined && { mode }),
    ...(version !== undefined && { agentVersion: version }),
  }
}

function choiceOf(model: Record<string, unknown>): Choice[] {
  const [id, label, description] = [model['value'], model['displayName'], model['description']].map(textOf)
  return id === undefined
    ? []
    : [{ id, label: label ?? id, ...(description !== undefined && { description }) }]
}

/** From the `system` frame `init`, which comes with every turn. */
export function factsOfInit(frame: Frame): SessionFacts {
  const told = {
    sessionRef: textOf(frame.session_id),
    model: textOf(frame['model']),
    mode: textOf(frame['permissionMode']),
    agentVersion: textOf(frame['claude_code_version']),
  }
  return Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined))
}

/** Only what is not known yet; undefined if all of it is. */
export function newsIn(known: SessionFacts, told: SessionFacts): SessionFacts | undefined {
  const before: Record<string, unknown> = known
  const news = Object.entries(told).filter(([name, value]) => before[name] !== value)
  return news.length > 0 ? Object.fromEntries(news) : undefined
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined
