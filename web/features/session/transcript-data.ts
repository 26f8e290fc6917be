import type { PromptFile, Usage } from '../../../src/contract/agent-event.ts'
import type { ApprovalStatus } from '../../../src/contract/approval.ts'
import type { StatusChange } from '../../../src/contract/execution.ts'
import { approvalStrings } from '../../strings/approval.ts'
import { executionStrings } from '../../strings/execution.ts'
import { transcriptStrings } from '../../strings/transcript.ts'
import { clip } from './clip.ts'
import { isLive } from './execution-list.ts'
import { listed, toolName, words } from './told.ts'
import type { Told } from './told.ts'
import type { Transcript } from './transcript.ts'
import type { ApprovalRow, MessageRow, Row } from './transcript-row.ts'
import { diffOf } from './unified-diff.ts'

const said = transcriptStrings

/** What is told beside the agent's own words. What is of no kind that we know says nothing. */
export function takeData(transcript: Transcript, told: Told): void {
  takers[told.type]?.(transcript, told)
}

const takers: Record<string, (transcript: Transcript, told: Told) => void> = {
  'data-message': takeMessage,
  'data-delivery': takeDelivery,
  'data-plan': takePlan,
  'data-diff': takeDiff,
  'data-status': takeStatus,
  'tool-approval-request': takeRequest,
  'tool-approval-response': takeResponse,
  'data-notice': (transcript, told) => transcript.notice(told, words(told.fields['text'])),
  'data-session': (transcript, told) => transcript.notice(told, words(told.fields['note'])),
  'data-usage': ({ usage }, { executionId, fields }) => {
    if (executionId) usage.set(executionId, fields as unknown as Usage)
  },
  'data-stall': (transcript, { at, fields }) => {
    transcript.silentSince = fields['silentMs'] === false ? null : at
  },
  'data-subagent': ({ store }, { executionId, fields }) => {
    const name = toolName(executionId, { toolCallId: fields['parentToolCallId'] })
    store.change(name, 'tool', (row) => ({ said: clip(`${row.said}${words(fields['text'])}\n`).text }))
  },
  'data-summary': ({ store }, { seq, executionId, fields }) => {
    const messages = typeof fields['messages'] === 'number' ? fields['messages'] : 0
    const { text } = clip(words(fields['text']))
    store.add({ kind: 'summary', key: `${seq}`, executionId, text, messages })
  },
  'data-adopted': (transcript, told) =>
    transcript.notice(told, said.adopted(Number(told.fields['turns'] ?? 0))),
  'data-forked': (transcript, told) => transcript.notice(told, said.forked),
  'data-branch': ({ store }, { fields }) => {
    const { after, of: parent } = fields
    // A fork can go back to before its own beginning: then nothing of it is left but what was noticed.
    if (parent !== undefined) store.takeOut(0, ({ kind }) => kind !== 'notice')
    else if (typeof after === 'number') store.takeOut(after)
  },
  'data-trashed': (transcript, told) => transcript.notice(told, said.trashed),
  'data-restored': (transcript, told) => transcript.notice(told, said.restored),
  'data-afresh': (transcript, told) => transcript.notice(told, said.afresh),
  'data-takeover': (transcript, told) => {
    const { state, reason, gap } = told.fields
    if (state === 'begun') transcript.notice(told, said.takenOver)
    if (state === 'ended')
      transcript.notice(told, [said.handedBack, words(reason), words(gap)].filter(Boolean).join(' '))
  },
}

function takeMessage({ store }: Transcript, { seq, executionId, fields }: Told): void {
  const commandId = words(fields['commandId'])
  const row: MessageRow = {
    kind: 'message',
    key: `${seq}`,
    executionId,
    text: words(fields['text']),
    files: listed(fields['files']) as unknown as PromptFile[],
    by: words(fields['by']) || null,
    imported: fields['imported'] === true,
    delivery: commandId ? 'sending' : undefined,
  }
  store.add(row, commandId && `command ${commandId}`)
}

function takeDelivery(transcript: Transcript, told: Told): void {
  const { fields } = told
  const { command, outcome, how } = fields
  const isRefused = outcome === 'refused'
  const reason = words(fields['reason']) || said.delivery.noReason
  if (command === 'interrupt')
    transcript.notice(told, isRefused ? said.notInterrupted(reason) : said.interrupted)
  if (command === 'mode' && isRefused) transcript.notice(told, said.notChanged(reason))
  if (command === 'answer' && isRefused) transcript.notice(told, approvalStrings.notDelivered(reason))
  const delivery = isRefused ? { refused: reason } : how === 'steered' || how === 'queued' ? how : 'delivered'
  transcript.store.change(`command ${words(fields['commandId'])}`, 'message', () => ({ delivery }))
}

/** Each replaces the one before in its turn. */
function takePlan({ store }: Transcript, { seq, executionId, fields }: Told): void {
  const entries = listed(fields['entries']).map(({ content, status }) => ({
    content: words(content),
    status: words(status),
  }))
  const plan = { entries, text: words(fields['text']) }
  const name = `${executionId} plan`
  if (!store.change(name, 'plan', () => plan))
    store.add({ kind: 'plan', key: `${seq}`, executionId, ...plan }, name)
}

function takeDiff({ store }: Transcript, { seq, executionId, fields }: Told): void {
  const isOfTurn = fields['scope'] === 'turn'
  const diff = diffOf(isOfTurn ? { ...fields, path: said.diffOfTurn } : fields)
  if (!diff) return
  if (
    store.change(toolName(executionId, fields), 'tool', ({ diffs }) => ({
      diffs: [...diffs, diff].slice(-50),
    }))
  )
    return
  const name = isOfTurn ? `${executionId} diff` : undefined
  if (name && store.change(name, 'diff', () => ({ diff }))) return
  store.add({ kind: 'diff', key: `${seq}`, executionId, diff }, name)
}

function takeStatus({ store, usage }: Transcript, { seq, executionId, at, fields }: Told): void {
  const { status, error = null } = fields as unknown as StatusChange
  if (!executionId || !Object.hasOwn(executionStrings.status, status) || isLive(status)) return
  store.changeLast(executionId, (row) => closed(row))
  store.add({ kind: 'end', key: `${seq}`, executionId, status, error, usage: usage.get(executionId), at })
}

/** With its turn all of it is over, whatever was not told. */
function closed(row: Row): Row {
  if ((row.kind === 'text' || row.kind === 'reasoning') && row.isOpen) return { ...row, isOpen: false }
  const isOpen = row.kind === 'tool' && (row.state === 'running' || row.state === 'asked')
  return isOpen ? { ...row, state: 'failed' } : row
}

function takeRequest({ store }: Transcript, { seq, executionId, at, fields }: Told): void {
  const asked = fields as unknown as Omit<ApprovalRow['asked'], 'id' | 'askedAt'>
  const id = words(fields['approvalId'])
  const row: ApprovalRow = {
    kind: 'approval',
    key: `${seq}`,
    executionId,
    asked: { ...asked, id, askedAt: at, questions: asked.questions ?? null, schema: asked.schema ?? null },
    toolCallId: words(fields['toolCallId']),
    status: 'waiting',
    by: null,
    reason: '',
  }
  const { position, total = 0 } = row.asked
  const queue = position !== undefined && total > 1 ? approvalStrings.inQueue(position, total) : ''
  store.change(toolName(executionId, fields), 'tool', () => ({
    state: 'asked',
    queue,
    asked: row.asked,
  }))
  store.add(row, `approval ${id}`)
}

function takeResponse({ store }: Transcript, { executionId, fields }: Told): void {
  const name = `approval ${words(fields['approvalId'])}`
  const known = store.find(name)
  if (known?.kind !== 'approval') return
  const status = fields['status'] as ApprovalStatus
  store.change(name, 'approval', () => ({ status, by: words(fields['by']), reason: words(fields['reason']) }))
  const byRule = status === 'granted' && fields['by'] === 'policy'
  const hasCard = store.change(toolName(executionId, { toolCallId: known.toolCallId }), 'tool', ({ state }) =>
    state === 'asked' ? { state: status === 'granted' ? 'running' : 'denied', byRule } : { byRule },
  )
  // What a rule lets pass is said by the card of its call, and is no line of its own.
  if (byRule && hasCard) store.remove(name)
}
