import type { Approval } from '#contract/approval.ts'
import { inertLine } from '#lib/inert-text.ts'
import { Failure } from './failure.ts'
import { givenArguments } from './given-arguments.ts'

type Form = Pick<Approval, 'questions' | 'schema'>

/** What `--answer` gives: by the id of a question or its number, or by the name of a field. Given twice, it is a list. */
export function givenAnswers({ questions, schema }: Form, pairs: string[]): Record<string, unknown> {
  if (!questions) return givenArguments(schema ?? {}, undefined, pairs, '--answer')
  const given: Record<string, unknown> = {}
  for (const pair of pairs) {
    const question =
      questions.find(({ id }) => pair.startsWith(`${id}=`)) ??
      questions.find((_, index) => pair.startsWith(`${index + 1}=`))
    if (!question) throw new Failure(`--answer "${pair}" is to none of the questions:\n${listed(questions)}`)
    const { id, multiple } = question
    const value = pair.slice(pair.startsWith(`${id}=`) ? id.length + 1 : pair.indexOf('=') + 1)
    const before = given[id]
    given[id] = multiple ? [...(Array.isArray(before) ? before : []), value] : value
  }
  return given
}

const listed = (questions: NonNullable<Form['questions']>) =>
  questions
    .map(({ question, choices }, index) => {
      const offered = choices.length > 0 ? ` (${choices.map(({ label }) => label).join(', ')})` : ''
      return `  ${index + 1}=…  ${inertLine(question + offered)}`
    })
    .join('\n')
