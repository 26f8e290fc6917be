import { useState } from 'react'
import type { Asked } from './approval-card.tsx'
import { isFilled, problemsIn, schemaContent } from './schema-content.ts'
import { schemaFields } from './schema-fields.ts'
import type { Values } from './schema-fields.ts'
import { QuestionField } from './question-field.tsx'
import { SchemaFieldRow } from './schema-field-row.tsx'

interface Props {
  approval: Asked
  isDisabled: boolean
  onSubmit: (content: Values) => void
}

/** A form made of what is asked: questions with choices, or fields by a schema. */
export function AnswerForm({ approval: { id, questions, schema }, isDisabled, onSubmit }: Props) {
  const [values, setValues] = useState<Values>({})
  const fields = questions ? [] : schemaFields(schema ?? {})
  const { problems, fits } = problemsIn(schema ?? {}, fields, values)
  const set = (name: string) => (value: unknown) => setValues((now) => ({ ...now, [name]: value }))
  const isWhole = questions
    ? questions.every((question) => isAnswered(values[question.id]))
    : fits && isFilled(fields, values)
  return (
    <form
      id={`answer-${id}`}
      className="flex flex-col gap-3 px-3 pt-2"
      onSubmit={(event) => {
        event.preventDefault()
        if (isWhole && !isDisabled) onSubmit(questions ? values : schemaContent(fields, values))
      }}
    >
      {questions?.map((question) => (
        <QuestionField
          key={question.id}
          question={question}
          value={values[question.id]}
          onChange={set(question.id)}
          isDisabled={isDisabled}
        />
      ))}
      {fields.map((field) => (
        <SchemaFieldRow
          key={field.name}
          field={field}
          value={field.name in values ? values[field.name] : field.start}
          onChange={set(field.name)}
          isDisabled={isDisabled}
          problems={problems}
        />
      ))}
    </form>
  )
}

const isAnswered = (value: unknown) =>
  Array.isArray(value) ? value.length > 0 : typeof value === 'string' && value.trim() !== ''
