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
  { title: 'WHAT', text: whatIsAsked, flexible: true },
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

/** What it is really about, and not only what the agent calls it. */
export const whatIsAsked = ({ tool, title, subject }: Approval): string =>
  subject === null || title.includes(subject) ? title : `${tool}: ${subject}`
