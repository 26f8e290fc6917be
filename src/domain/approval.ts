import { createHash } from 'node:crypto'
import type { Principal } from '#contract/access.ts'
import type { AnswerApproval, Approval } from '#contract/approval.ts'
import { checkOwner } from './access.ts'
import { checkFields } from './args-schema.ts'
import { Problem, bodyMisfit } from './problem.ts'

/** The same question of the same execution has the same id, however often it is copied. A UUID of our own making (v8). */
export function approvalIdOf(executionId: string, requestId: string): string {
  const hash = createHash('sha256').update(`${executionId}\0${requestId}`).digest()
  hash[6] = (hash[6]! & 0x0f) | 0x80
  hash[8] = (hash[8]! & 0x3f) | 0x80
  const hex = hash.toString('hex', 0, 16)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** By which name an execution asks for itself whether it may begin. */
export const dangerRequest = 'signalbox:danger'
/** As every agent hears it whom nobody has answered. */
export const nobodyAnswered = 'Nobody answered in time'

/** So much of an input is in lists and streams, as characters of JSON; all of it in the approval itself. */
export const mostShownAtOnce = 65_536
/** Nobody reads more than this before they answer. */
const mostAsked = 1_048_576

export const charactersIn = (input: unknown): number => JSON.stringify(input ?? null).length

/** An input as lists and streams have it. */
export function inBrief(input: unknown): unknown {
  const text = JSON.stringify(input ?? null)
  if (text.length <= mostShownAtOnce) return input
  return { beginning: text.slice(0, mostShownAtOnce), characters: text.length }
}

/** Throws when it is more than a person can be asked about. */
export function checkAskable(tool: string, input: unknown): void {
  const characters = charactersIn(input)
  if (characters > mostAsked)
    throw new Problem(
      'tool_refused',
      `${tool} was not called: a person has to see what it is called with, and ${characters} characters are more than the ${mostAsked} that one can be asked about. Call it with less`,
      { characters, most: mostAsked },
    )
}

type Standing = Pick<Approval, 'id' | 'status' | 'answeredBy' | 'reason'> & {
  expiresAt: Date
  answeredAt: Date | null
}

/** Throws unless it can still be answered. */
export function checkWaiting(
  { id, status, answeredBy, answeredAt, reason, expiresAt }: Standing,
  answeredByName: string | null = null,
): void {
  if (status === 'granted' || status === 'refused')
    throw new Problem('approval_already_answered', alreadyAnswered(status, answeredBy, answeredByName), {
      status,
      answeredBy,
      answeredAt,
      reason,
    })
  if (status === 'expired')
    throw new Problem('approval_expired', `Approval ${id} has expired: ${reason ?? nobodyAnswered}`, {
      answeredAt,
      reason,
    })
  if (expiresAt.getTime() <= Date.now())
    throw new Problem('approval_expired', `Approval ${id} has expired: ${nobodyAnswered}`, { expiresAt })
}

/** Whoever comes second is told who was first, and what they said. */
function alreadyAnswered(status: string, by: string | null, name: string | null): string {
  const who = name ?? (by === 'owner' ? 'The owner' : by === 'policy' ? 'A rule' : 'Somebody else')
  return `${who} has ${status} it already`
}

type Question = Pick<Approval, 'kind' | 'subject' | 'options' | 'questions' | 'schema'>

/** Throws unless this is an answer to what was asked, from somebody who may give it. */
export function checkAnswer(by: Principal, asked: Question, given: AnswerApproval): void {
  if (given.remember && asked.kind !== 'tool')
    throw bodyMisfit('remember', 'only what a tool may do can be remembered: this is asked every time')
  if (given.remember) checkOwner(by)
  if (given.remember && asked.subject === null)
    throw bodyMisfit(
      'remember',
      'the agent names no command, file or address, so there is nothing to know it by: it can be answered once',
    )
  checkOption(by, asked, given)
  checkContent(asked, given)
}

/** Whether a yes can be for this once. Where there are no options, a yes is nothing else. */
export const canAllowOnce = (options: readonly { kind: string }[] = []): boolean =>
  options.length === 0 || options.some(({ kind }) => kind === 'allow_once')

function checkOption(by: Principal, { options }: Question, { optionId, decision }: AnswerApproval): void {
  if (optionId === undefined) {
    if (decision === 'refused' || canAllowOnce(options)) return
    const always = options.filter(({ kind }) => kind === 'allow_always').map(({ id }) => id)
    throw bodyMisfit(
      'optionId',
      always.length > 0
        ? `the agent cannot be told yes for this once; the owner can name what allows it for good: ${always.join(', ')}`
        : 'the agent offers no way to allow it',
    )
  }
  const option = options.find(({ id }) => id === optionId)
  const known = options.map(({ id }) => id).join(', ') || 'none'
  if (!option) throw bodyMisfit('optionId', `is not one of the options, which are: ${known}`)
  if (option.kind.startsWith('allow') !== (decision === 'granted'))
    throw bodyMisfit('optionId', `means the opposite of ${decision}`)
  // The agent would not ask again, which is as good as a rule.
  if (option.kind === 'allow_always') checkOwner(by)
}

function checkContent({ questions, schema }: Question, { content, decision }: AnswerApproval): void {
  const isForm = questions !== null || schema !== null
  if (content !== undefined && (!isForm || decision === 'refused'))
    throw bodyMisfit('content', isForm ? 'goes with a yes' : 'is not asked for')
  if (!isForm || decision === 'refused') return
  if (questions) return checkAnswers(questions, content ?? {})
  if (schema) checkFields(schema, content ?? {}, 'content')
}

function checkAnswers(questions: NonNullable<Question['questions']>, content: Record<string, unknown>): void {
  const unknown = Object.keys(content).find((id) => !questions.some((question) => question.id === id))
  if (unknown !== undefined) throw bodyMisfit(`content.${unknown}`, 'is not asked for')
  for (const { id, multiple } of questions) {
    const answer = Object.hasOwn(content, id) ? content[id] : undefined
    const isText = typeof answer === 'string' && answer !== ''
    const isTexts =
      Array.isArray(answer) && answer.length > 0 && answer.every((one) => typeof one === 'string')
    if (answer === undefined) throw bodyMisfit(`content.${id}`, 'is needed')
    if (!isText && !(multiple && isTexts))
      throw bodyMisfit(`content.${id}`, multiple ? 'must be a text, or a list of texts' : 'must be a text')
  }
}
