import { Approval, ApprovalStatus } from '#contract/approval.ts'
import { age } from './age.ts'
import { readAll } from './client.ts'
import type { Connection } from './connection.ts'
import { shortId } from './find-execution.ts'
import type { Colour, Screen } from './screen.ts'
import { oneOf, show } from './show-list.ts'
import type { ListOptions } from './show-list.ts'
import type { Column } from './table.ts'

const statusColour: Record<ApprovalStatus, Colour> = {
  waiting: 'yellow',
  granted: 'green',
  refused: 'red',
  expired: 'dim',
}

const columns = (now: number): Column<Approval>[] => [
  { title: 'STATUS', text: ({ status }) => status, colour: ({ status }) => statusColour[status], spare: 2 },
  { title: 'KIND', text: ({ kind }) => kind, colour: ({ danger }) => (danger >= 2 ? 'red' : 'plain') },
  { title: 'AGENT', text: ({ agentName }) => agentName, spare: 3 },
  { title: 'WHAT', text: placedInQueue, flexible: true },
  { title: 'ID', text: ({ id }) => shortId(id), colour: () => 'dim' },
  { title: 'AGE', text: ({ askedAt }) => age(askedAt, now), colour: () => 'dim', spare: 4 },
]

/** What waits for an answer, the riskiest first, unless another status is asked for. */
export async function listApprovals(
  connect: () => Connection,
  screen: Screen,
  options: ListOptions,
): Promise<void> {
  const status = oneOf(ApprovalStatus.options, options.status) ?? 'waiting'
  const approvals = await readAll(connect(), '/approvals', { status }, Approval)
  const empty = status === 'waiting' ? 'Nothing waits for an answer.' : 'No approval fits.'
  show(screen, options, approvals, columns(Date.now()), empty)
}

/** What it is really about, and not only what the agent calls it: of a tool also what it is called with. */
export function whatIsAsked({ kind, tool, title, subject, input, questions, schema }: Approval): string {
  if (subject !== null && !title.includes(subject)) return `${tool}: ${subject}`
  // The title of a dangerous command is the command.
  const given = kind === 'danger' || questions || schema ? '' : argumentsIn(input)
  return subject !== null || given === '' ? title : `${title} ${given}`
}

/** With its place among those that are asked together. */
export const placedInQueue = (asked: Approval): string =>
  asked.total > 1 && asked.position > 0
    ? `${asked.position} of ${asked.total}: ${whatIsAsked(asked)}`
    : whatIsAsked(asked)

const longestArguments = 300

/** In one line, which says that it is cut where it is. */
function argumentsIn(input: unknown): string {
  if (typeof input !== 'object' || input === null || Object.keys(input).length === 0) return ''
  const { beginning } = input as { beginning?: unknown }
  const isCut = typeof beginning === 'string' && 'characters' in input && Object.keys(input).length === 2
  const text = isCut ? `${beginning}…` : JSON.stringify(input)
  return text.length > longestArguments ? `${text.slice(0, longestArguments)}…` : text
}
