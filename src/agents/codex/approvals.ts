import type { ApprovalAnswer, ApprovalAsked, ApprovalOption } from '#contract/agent-event.ts'
import { OWN_SERVER } from '#contract/keeper-protocol.ts'
import type { Fields } from './fields.ts'
import { fieldsOf, listOf, oneLine, textOf, textsOf } from './fields.ts'
import { changesOf, commandInput } from './items.ts'
import { onlyLooks } from './only-looks.ts'
import type { OpenTools } from './tools.ts'

/** Something that Codex waits for: how it is put to people, and what each of their answers is to Codex. */
export interface Asked {
  approval: Omit<ApprovalAsked, 'requestId'>
  /** By option id. */
  replies: Record<string, (answer: Pick<ApprovalAnswer, 'content'>) => Fields>
}

const options = {
  accept: { id: 'accept', label: 'Allow', kind: 'allow_once' },
  session: { id: 'acceptForSession', label: 'Allow for this session', kind: 'allow_always' },
  decline: { id: 'decline', label: 'Refuse', kind: 'reject_once' },
  cancel: { id: 'cancel', label: 'Refuse and stop the turn', kind: 'reject_once' },
} as const satisfies Record<string, ApprovalOption>

const decisions = Object.fromEntries(
  Object.values(options).map(({ id }) => [id, () => ({ decision: id })]),
) satisfies Asked['replies']

/** Undefined for what is no question to people. */
export function askedBy(
  method: string,
  params: Fields,
  tools: OpenTools,
  ownServer?: string,
): Asked | undefined {
  const asked = requests[method]?.(params, tools)
  const isCall = fieldsOf(params['_meta'])['codex_approval_kind'] === 'mcp_tool_call'
  if (!asked || !isCall || !ownServer || params['serverName'] !== ownServer) return asked
  return { ...asked, approval: { ...asked.approval, server: OWN_SERVER } }
}

const requests: Record<string, (params: Fields, tools: OpenTools) => Asked | undefined> = {
  'item/commandExecution/requestApproval': (params, tools) => {
    const itemId = textOf(params['itemId']) ?? ''
    const { command, cwd } = commandInput({ ...tools.find(itemId), ...present(params) })
    const isInput = params['kind'] === 'writeStdin'
    const wants = pick(params, ['reason', 'networkApprovalContext', 'additionalPermissions'])
    return asked({
      tool: 'shell',
      title: isInput ? `Write to the running command ${command}` : `Run ${command}`,
      input: { command, cwd, ...(isInput && { kind: 'writeStdin' }), ...wants },
      toolCallId: itemId || null,
      // What goes into a running command is not in the request: no rule can judge it.
      subject: isInput ? null : command,
      readOnly:
        !isInput &&
        Object.keys(pick(params, ['networkApprovalContext', 'additionalPermissions'])).length === 0 &&
        onlyLooks(command),
    })
  },

  /** What is to be changed is only in the item. */
  'item/fileChange/requestApproval': (params, tools) => {
    const itemId = textOf(params['itemId']) ?? ''
    const changes = changesOf(tools.find(itemId) ?? {})
    const paths = changes.flatMap(({ path, movedTo }) => [path, ...(movedTo === undefined ? [] : [movedTo])])
    return asked({
      tool: 'apply_patch',
      title: paths.length > 0 ? `Change ${paths.join(', ')}` : 'Change files',
      input: { changes, ...pick(params, ['reason', 'grantRoot']) },
      toolCallId: itemId || null,
      ...placesOf([...paths, ...textsOf([params['grantRoot']])]),
      readOnly: false,
    })
  },

  'item/permissions/requestApproval': (params) => {
    const permissions = present(fieldsOf(params['permissions']))
    const grant = (scope: string) => () => ({ permissions, scope })
    const none = () => ({ permissions: {}, scope: 'turn' })
    return {
      approval: {
        kind: 'tool',
        tool: 'permissions',
        title: oneLine(textOf(params['reason']) ?? 'More permissions for this turn', 200),
        input: { permissions, cwd: params['cwd'] ?? null, reason: params['reason'] ?? null },
        toolCallId: textOf(params['itemId']) ?? null,
        subject: null,
        readOnly: false,
        options: [options.accept, options.session, options.decline],
      },
      replies: { accept: grant('turn'), acceptForSession: grant('session'), decline: none },
    }
  },

  'item/tool/requestUserInput': (params) => {
    const questions = listOf(params['questions']).map((question, index) => ({
      id: textOf(question['id']) ?? String(index),
      question: textOf(question['question']) ?? '',
      ...(textOf(question['header']) && { header: String(question['header']) }),
      choices: listOf(question['options']).map(({ label, description }) => ({
        id: String(label),
        label: String(label),
        ...(textOf(description) && { description: String(description) }),
      })),
      multiple: false,
    }))
    const reply = (content: Fields) =>
      Object.fromEntries(questions.map(({ id }) => [id, { answers: answersTo(content[id]) }]))
    return {
      approval: {
        kind: 'question',
        tool: 'request_user_input',
        title: oneLine(questions.map(({ question }) => question).join(' '), 200) || 'A question',
        input: { questions: params['questions'] ?? [] },
        toolCallId: textOf(params['itemId']) ?? null,
        subject: null,
        readOnly: false,
        options: [{ ...options.accept, label: 'Answer' }, options.decline],
        questions,
      },
      replies: {
        accept: ({ content }) => ({ answers: reply(content ?? {}) }),
        decline: () => ({ answers: {} }),
      },
    }
  },

  'mcpServer/elicitation/request': (params, tools) =>
    fieldsOf(params['_meta'])['codex_approval_kind'] === 'mcp_tool_call'
      ? mcpCall(params, tools)
      : elicitation(params),
}

/** Codex asks with the protocol's own form whether a tool of an MCP server may be called. */
function mcpCall(params: Fields, tools: OpenTools): Asked {
  const meta = fieldsOf(params['_meta'])
  const server = textOf(params['serverName']) ?? ''
  const item = tools.findCall(server, meta['tool_params'])
  const message = textOf(params['message']) ?? ''
  const name = textOf(item?.['tool']) ?? /run tool "([^"]+)"/.exec(message)?.[1] ?? ''
  const maySession = textsOf(meta['persist']).includes('session')
  return {
    approval: {
      kind: 'tool',
      tool: `${server}.${name}`,
      title: oneLine(message, 200) || `Call ${server}.${name}`,
      input: meta['tool_params'] ?? item?.['arguments'] ?? {},
      toolCallId: textOf(item?.['id']) ?? null,
      subject: null,
      readOnly: item?.['readOnlyHint'] === true,
      options: [options.accept, ...(maySession ? [options.session] : []), options.decline, options.cancel],
    },
    replies: {
      accept: () => action('accept', {}),
      acceptForSession: () => action('accept', {}, { persist: 'session' }),
      decline: () => action('decline'),
      cancel: () => action('cancel'),
    },
  }
}

function elicitation(params: Fields): Asked | undefined {
  const { mode, message, url, requestedSchema } = params
  const isForm = ['form', 'openai/form', 'openaiForm'].includes(String(mode))
  if (!isForm && mode !== 'url') return undefined
  return {
    approval: {
      kind: 'question',
      tool: textOf(params['serverName']) ?? 'mcp',
      title: oneLine(textOf(message) ?? '', 200) || 'A question',
      input: {
        message: message ?? null,
        ...(isForm ? { schema: requestedSchema ?? null } : { url: url ?? null }),
      },
      toolCallId: null,
      ...(isForm ? { subject: null } : placesOf(textsOf([url]))),
      readOnly: false,
      options: [{ ...options.accept, label: isForm ? 'Send' : 'Done' }, options.decline, options.cancel],
      ...(isForm && { schema: fieldsOf(requestedSchema) }),
    },
    replies: {
      accept: ({ content }) => action('accept', isForm ? (content ?? {}) : null),
      decline: () => action('decline'),
      cancel: () => action('cancel'),
    },
  }
}

/** With one of them unknown, no rule can judge it. */
const placesOf = (places: string[]): Pick<ApprovalAsked, 'subject' | 'subjects' | 'isPlace'> => {
  const [subject, ...more] = new Set(places)
  if (!subject || more.includes('')) return { subject: null }
  return { subject, ...(more.length > 0 && { subjects: [subject, ...more] }), isPlace: true }
}

const asked = (approval: Omit<Asked['approval'], 'kind' | 'options'>): Asked => ({
  approval: {
    ...approval,
    title: oneLine(approval.title, 200),
    kind: 'tool',
    options: [options.accept, options.session, options.decline, options.cancel],
  },
  replies: decisions,
})

const action = (name: string, content: Fields | null = null, meta: Fields | null = null): Fields => ({
  action: name,
  content,
  _meta: meta,
})

const answersTo = (given: unknown): string[] =>
  (Array.isArray(given) ? given : [given]).flatMap((each) =>
    each === undefined || each === null ? [] : [typeof each === 'string' ? each : JSON.stringify(each)],
  )

const present = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined))

const pick = (fields: Fields, names: string[]): Fields =>
  present(Object.fromEntries(names.map((name) => [name, fields[name]])))
