import { Approval } from '#contract/approval.ts'
import type { AnswerApproval } from '#contract/approval.ts'
import { inertLine } from '#lib/inert-text.ts'
import { placedInQueue } from './list-approvals.ts'
import { ask } from './client.ts'
import type { Connection } from './connection.ts'
import { findById } from './find-by-id.ts'
import { givenAnswers } from './given-answers.ts'
import { printJson } from './output.ts'
import type { Screen } from './screen.ts'

export interface AnswerOptions {
  always?: boolean
  reason?: string
  answer?: string[]
  json?: boolean
}

/** Says yes or no to what is asked, and prints what became of it. */
export async function answer(
  connection: Connection,
  screen: Screen,
  wanted: string,
  decision: AnswerApproval['decision'],
  { always, reason, answer: answers = [], json }: AnswerOptions,
): Promise<void> {
  const asked = await findById(connection, wanted, {
    path: '/approvals',
    shape: Approval,
    noun: 'approval',
    howToFind: 'signalbox ls approvals shows what waits',
  })
  const body = {
    decision,
    ...(always && { remember: true }),
    ...(reason !== undefined && { reason }),
    ...(answers.length > 0 && { content: givenAnswers(asked, answers) }),
  }
  const answered = await ask(connection, `/approvals/${asked.id}`, Approval, { method: 'POST', body })
  if (json) return printJson(answered)
  const word = screen.paint(decision === 'granted' ? 'green' : 'red', decision)
  screen.write(
    `${word}${always ? ', from now on' : ''}: ${inertLine(placedInQueue({ ...answered, position: asked.position, total: asked.total }))}\n`,
  )
}
