import { useState } from 'react'
import type { Question } from '../../../src/contract/agent-event.ts'
import { approvalStrings } from '../../strings/approval.ts'
import { visibleText } from './visible-text.ts'
import { fieldLook } from './field-look.ts'

interface Props {
  question: Question
  /** A text, or a list of them. */
  value: unknown
  onChange: (value: string | string[]) => void
  isDisabled: boolean
}

/** One question: its choices, and room for an answer that is none of them. */
export function QuestionField({ question, value, onChange, isDisabled }: Props) {
  const { id, question: text, header, choices, multiple } = question
  const [other, setOther] = useState('')
  const chosen = Array.isArray(value) ? (value as string[]) : typeof value === 'string' ? [value] : []
  const known = new Set(choices.map((choice) => choice.id))
  const choose = (choice: string, isChosen: boolean) => {
    if (!multiple) return onChange(choice)
    const others = chosen.filter((each) => each !== choice)
    onChange(isChosen ? [...others, choice] : others)
  }
  const write = (written: string) => {
    setOther(written)
    if (!multiple) return onChange(written)
    onChange([...chosen.filter((each) => known.has(each)), ...(written.trim() ? [written] : [])])
  }
  return (
    <fieldset disabled={isDisabled} className="flex min-w-0 flex-col gap-1">
      <legend dir="auto" className="pb-1 wrap-anywhere">
        {header && <span className="me-2 text-small text-mute">{visibleText(header)}</span>}
        {visibleText(text)}
      </legend>
      {choices.map((choice) => (
        <label
          key={choice.id}
          className="flex items-baseline gap-2 rounded-control px-1 py-0.5 hover:bg-raise max-sm:py-1.5"
        >
          <input
            type={multiple ? 'checkbox' : 'radio'}
            name={id}
            className="accent-(--text)"
            checked={chosen.includes(choice.id)}
            onChange={(event) => choose(choice.id, event.target.checked)}
          />
          <span className="min-w-0">
            <bdi className="wrap-anywhere">{visibleText(choice.label)}</bdi>
            {choice.description && (
              <bdi className="block text-small wrap-anywhere text-mute">
                {visibleText(choice.description)}
              </bdi>
            )}
          </span>
        </label>
      ))}
      <input
        dir="auto"
        value={other}
        aria-label={approvalStrings.otherFor(text)}
        placeholder={choices.length > 0 ? approvalStrings.other : ''}
        className={fieldLook}
        onChange={(event) => write(event.target.value)}
      />
    </fieldset>
  )
}
