import { useDeferredValue, useState } from 'react'
import type { Command, CommandOption, CommandValue, ProgramSchema } from '../../../src/contract/discovery.ts'
import { discoveryStrings } from '../../strings/discovery.ts'
import { fieldLook } from '../approval/field-look.ts'
import { visibleText } from '../approval/visible-text.ts'
import { DangerMark } from './danger-mark.tsx'

const words = discoveryStrings.program
/** Fewer than these are seen at a glance. */
const manyCommands = 8

/** What a program can be asked for: its commands, and within each what it takes. */
export function ProgramCommands({ name, schema }: { name: string; schema: ProgramSchema }) {
  const [sought, setSought] = useState('')
  const settled = useDeferredValue(sought.trim().toLowerCase())
  const fitting = schema.commands.filter(
    ({ words, description }) =>
      settled === '' || `${words.join(' ')}\n${description}`.toLowerCase().includes(settled),
  )
  const isOnly = schema.commands.length === 1
  return (
    <>
      {schema.commands.length > manyCommands && (
        <input
          type="search"
          dir="auto"
          className={`${fieldLook} mt-2`}
          value={sought}
          aria-label={words.findCommand}
          placeholder={`${words.findCommand} (${schema.commands.length})`}
          onChange={(event) => setSought(event.target.value)}
        />
      )}
      <ul className="mt-2 border-t border-line">
        {fitting.map((command) => (
          <OneCommand key={command.words.join(' ')} name={name} command={command} isOpen={isOnly} />
        ))}
      </ul>
      {fitting.length === 0 && <p className="py-2 text-soft">{words.noCommand}</p>}
      {schema.leftOut > 0 && <p className="pt-2 text-small text-mute">{words.leftOut(schema.leftOut)}</p>}
    </>
  )
}

interface CommandProps {
  name: string
  command: Command
  isOpen: boolean
}

function OneCommand({ name, command, isOpen: isOpenFirst }: CommandProps) {
  const [isOpen, setOpen] = useState(isOpenFirst)
  const { words: said, description, options, positionals, danger } = command
  return (
    <li data-command={said.join(' ')} className="border-b border-line">
      <button
        type="button"
        aria-expanded={isOpen}
        className="flex w-full min-w-0 items-baseline gap-3 py-1.5 text-start hover:bg-raise"
        onClick={() => setOpen(!isOpen)}
      >
        <bdi dir="ltr" className="shrink-0 truncate max-sm:max-w-[60%] font-mono text-small">
          <span className={said.length > 0 ? 'text-mute' : ''}>{visibleText(name)}</span>
          {said.length > 0 && ` ${visibleText(said.join(' '))}`}
        </bdi>
        <bdi className="min-w-0 grow truncate text-small text-mute">{visibleText(description)}</bdi>
        {danger > 0 && (
          <span className="shrink-0 self-center text-tiny">
            <DangerMark level={danger} />
          </span>
        )}
        <span className="w-20 shrink-0 text-end text-tiny text-mute tabular-nums max-sm:hidden">
          {words.options(options.length)}
        </span>
      </button>
      {isOpen && (
        <div className="pb-2 ps-3 text-small">
          <p className="pb-1 font-mono text-tiny wrap-anywhere text-soft" dir="ltr">
            {[name, ...said, ...positionals.map(written)].map(visibleText).join(' ')}
          </p>
          {description && <p className="pb-1 wrap-anywhere text-soft">{visibleText(description)}</p>}
          {options.length === 0 && <p className="text-mute">{words.noOptions}</p>}
          <dl className="grid gap-x-4 gap-y-0.5 sm:grid-cols-[160px_1fr]">
            {options.map((option) => (
              <Option key={option.names.join()} option={option} />
            ))}
          </dl>
        </div>
      )}
    </li>
  )
}

const Option = ({ option: { names, value, isJoined, description, danger } }: { option: CommandOption }) => (
  <>
    <dt dir="ltr" className="font-mono text-tiny wrap-anywhere">
      {visibleText(names.join(', '))}
      {value && (
        <span className="text-mute">{(isJoined ? '=' : ' ') + visibleText(value.name || value.type)}</span>
      )}
    </dt>
    <dd className="min-w-0 wrap-anywhere text-mute">
      {visibleText(description)}
      {danger >= 2 && (
        <span className="ms-2 text-tiny">
          <DangerMark level={danger} />
        </span>
      )}
    </dd>
  </>
)

/** As manuals write it: `<file>`, `[file]`, `<file>…`. */
function written({ name, type, isOptional, isVariadic }: CommandValue): string {
  const inner = (name || type) + (isVariadic ? '…' : '')
  return isOptional ? `[${inner}]` : `<${inner}>`
}
