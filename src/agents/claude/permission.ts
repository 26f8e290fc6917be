import type { ApprovalAnswer, ApprovalAsked, ApprovalOption, Question } from '#contract/agent-event.ts'
import { OWN_SERVER } from '#contract/keeper-protocol.ts'
import { hashOfInput } from '#lib/input-hash.ts'
import { isRecord } from './frame.ts'
import type { Suggestion, ToolAsked } from './frame.ts'

/** A question of Claude's that waits for an answer. */
export interface Asked {
  approval: ApprovalAsked
  request: ToolAsked
}

/** Nothing but what we told Claude of can be called so: it reads no other configuration when it has got ours. */
const ownTools = `mcp__${OWN_SERVER}__`
const looksOnly = new Set(['Read', 'Glob', 'Grep', 'LS', 'NotebookRead'])
const places = ['file_path', 'notebook_path', 'path', 'url']
const subjects = ['command', ...places, 'pattern', 'query']
const allow: ApprovalOption = { id: 'allow', label: 'Allow', kind: 'allow_once' }
const deny: ApprovalOption = { id: 'deny', label: 'Refuse', kind: 'reject_once' }

/** `calledWith` is what the model called the tool with: a plan is only there, not in what is asked. */
export function askedOf(requestId: string, request: ToolAsked, calledWith: unknown): Asked {
  const { tool_name: tool, tool_use_id } = request
  const common = {
    requestId,
    tool,
    ...(tool.startsWith(ownTools) && { server: OWN_SERVER }),
    toolCallId: tool_use_id ?? null,
    readOnly: looksOnly.has(tool),
  }
  const questions = tool === 'AskUserQuestion' ? questionsOf(request.input) : []
  if (questions.length > 0) {
    const options = [
      { ...allow, label: 'Answer' },
      { ...deny, label: 'Do not answer' },
    ]
    const title = oneLine(questions.map(({ question }) => question).join(' '))
    return {
      request,
      approval: {
        ...common,
        kind: 'question',
        title,
        input: request.input,
        subject: null,
        options,
        questions,
      },
    }
  }
  if (tool === 'ExitPlanMode') {
    const input = { ...(isRecord(calledWith) && calledWith), ...request.input }
    const options = [
      { ...allow, label: 'Approve the plan' },
      { ...deny, label: 'Keep planning' },
    ]
    return {
      request,
      approval: { ...common, kind: 'plan', title: 'Approve the plan?', input, subject: null, options },
    }
  }
  const field = subjects.find((name) => typeof request.input[name] === 'string')
  const subject = field === undefined ? null : String(request.input[field])
  const isPlace = places.includes(field ?? '')
  const title = oneLine(`${request.display_name ?? tool}: ${subject ?? request.description ?? ''}`)
  const options = [allow, ...suggestionsOf(request).map(optionOf), deny]
  return {
    request,
    approval: {
      ...common,
      kind: 'tool',
      title,
      input: request.input,
      subject,
      ...(isPlace && { isPlace }),
      options,
    },
  }
}

/** What to tell Claude, or why this is no answer to what it asked. */
export function responseTo(
  asked: Asked,
  answer: ApprovalAnswer,
): { response: unknown } | { refused: string } {
  const { approval, request } = asked
  if (hashOfInput(approval) !== answer.inputHash) return { refused: 'Something else was asked.' }
  const option = approval.options.find(({ id }) => id === answer.optionId)
  if (answer.optionId !== undefined && !option) return { refused: `There is no option ${answer.optionId}.` }
  if (option && option.kind.startsWith('allow') !== (answer.decision === 'granted'))
    return { refused: `The option ${option.id} does not mean ${answer.decision}.` }
  if (answer.decision === 'refused')
    return { response: { behavior: 'deny', message: answer.reason || 'This was refused.' } }
  if (!approval.questions) {
    const chosen = suggestionsOf(request)[Number(option?.id.replace('suggestion-', ''))]
    // Only for this session: what a person says here must not end up in settings files of theirs.
    const updatedPermissions = chosen && [{ ...chosen, destination: 'session' }]
    return {
      response: {
        behavior: 'allow',
        updatedInput: request.input,
        ...(updatedPermissions && { updatedPermissions }),
      },
    }
  }
  const answers: Record<string, string> = {}
  for (const { id, question } of approval.questions) {
    const given = answer.content?.[id]
    const text = Array.isArray(given) ? given.map(String).join(', ') : given
    if (typeof text !== 'string' || text === '')
      return { refused: `The question "${question}" is not answered.` }
    answers[question] = text
  }
  return { response: { behavior: 'allow', updatedInput: { ...request.input, answers } } }
}

function questionsOf(input: Record<string, unknown>): Question[] {
  const asked = Array.isArray(input['questions']) ? input['questions'].filter(isRecord) : []
  return asked.map((question, index) => ({
    id: `question-${index + 1}`,
    question: String(question['question']),
    ...(typeof question['header'] === 'string' && { header: question['header'] }),
    choices: (Array.isArray(question['options']) ? question['options'].filter(isRecord) : []).map(
      (choice) => ({
        id: String(choice['label']),
        label: String(choice['label']),
        ...(typeof choice['description'] === 'string' && { description: choice['description'] }),
      }),
    ),
    multiple: question['multiSelect'] === true,
  }))
}

/** Those that widen what it may do in this session, and no further. */
function suggestionsOf({ permission_suggestions: all = [] }: ToolAsked): Suggestion[] {
  return all.filter(
    ({ type, behavior, mode }) =>
      (type === 'addRules' && behavior === 'allow') ||
      type === 'addDirectories' ||
      (type === 'setMode' && mode !== 'bypassPermissions'),
  )
}

function optionOf(suggestion: Suggestion, index: number): ApprovalOption {
  return { id: `suggestion-${index}`, label: oneLine(labelOf(suggestion)), kind: 'allow_always' }
}

function labelOf({ type, rules = [], directories = [], mode }: Suggestion): string {
  if (type === 'setMode')
    return mode === 'acceptEdits' ? 'Allow all edits in this session' : `Switch to ${mode} mode`
  if (type === 'addDirectories') return `Allow ${directories.join(', ')} in this session`
  const named = rules.map(({ toolName, ruleContent }) =>
    ruleContent ? `${toolName}(${ruleContent})` : toolName,
  )
  return `Always allow ${named.join(', ')} in this session`
}

const oneLine = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim().replace(/:$/, '')
  return line.length > 200 ? `${line.slice(0, 199)}…` : line
}
