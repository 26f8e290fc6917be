import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { codeStrings } from '../../strings/code.ts'
import { visibleText } from '../approval/visible-text.ts'

const words = codeStrings.tree
/** Of one level; the others come when they are asked for. */
const shownAtFirst = 100
const longestText = 2_000
/** A small value is read without a click. */
const openUntil = 2

interface Props {
  value: unknown
  name?: string | undefined
  depth?: number
}

/** A value of JSON as one reads it: what has parts can be opened. It is the word of others: shown, and nothing else. */
export function ValueTree({ value, name, depth = 0 }: Props) {
  const parts = partsOf(value)
  if (!parts) return <Line name={name}>{<Leaf value={value} />}</Line>
  if (parts.length === 0) return <Line name={name}>{Array.isArray(value) ? '[]' : '{}'}</Line>
  return <Branch name={name} parts={parts} isList={Array.isArray(value)} depth={depth} />
}

interface BranchProps {
  name: string | undefined
  parts: [string, unknown][]
  isList: boolean
  depth: number
}

function Branch({ name, parts, isList, depth }: BranchProps) {
  const [isOpen, setOpen] = useState(depth < openUntil && (depth === 0 || parts.length <= 20))
  const [shown, setShown] = useState(shownAtFirst)
  const summary = isList ? words.entries(parts.length) : words.fields(parts.length)
  return (
    <div>
      <button
        type="button"
        aria-expanded={isOpen}
        className="-ms-4 flex max-w-full items-center rounded-small pe-1 text-start hover:bg-raise"
        onClick={() => setOpen(!isOpen)}
      >
        <ChevronRight
          size={12}
          aria-hidden
          className={`me-1 shrink-0 text-mute ${isOpen ? 'rotate-90' : 'rtl:-scale-x-100'}`}
        />
        <Name name={name} />
        <span className="truncate text-mute">
          {isOpen ? summary : `${isList ? '[' : '{'} ${previewOf(parts, isList)} ${isList ? ']' : '}'}`}
        </span>
      </button>
      {isOpen && (
        <div className="border-s border-line ps-5">
          {parts.slice(0, shown).map(([key, part]) => (
            <ValueTree key={key} name={key} value={part} depth={depth + 1} />
          ))}
          {parts.length > shown && (
            <button
              type="button"
              className="rounded-small text-soft underline hover:text-text"
              onClick={() => setShown(shown + 1_000)}
            >
              {words.more(parts.length - shown)}
            </button>
          )}
        </div>
      )}
    </div>
  )
}

const Line = ({ name, children }: { name: string | undefined; children: ReactNode }) => (
  <div className="wrap-anywhere whitespace-pre-wrap">
    <Name name={name} />
    {children}
  </div>
)

const Name = ({ name }: { name: string | undefined }) =>
  name === undefined ? null : <bdi className="shrink-0 text-soft">{visibleText(name)}:&nbsp;</bdi>

function Leaf({ value }: { value: unknown }) {
  const [isWhole, setWhole] = useState(false)
  if (typeof value !== 'string') return <span className="text-(--cyan)">{String(value)}</span>
  const isLong = value.length > longestText && !isWhole
  return (
    <bdi dir="auto" className="text-(--green)">
      {`"${visibleText(isLong ? value.slice(0, longestText) : value)}${isLong ? '…' : '"'}`}
      {isLong && (
        <button type="button" className="ms-2 text-soft underline" onClick={() => setWhole(true)}>
          {words.whole}
        </button>
      )}
    </bdi>
  )
}

function partsOf(value: unknown): [string, unknown][] | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.entries(value)
}

const previewOf = (parts: [string, unknown][], isList: boolean): string =>
  visibleText(
    parts
      .slice(0, 4)
      .map(([key, part]) => (isList ? brief(part) : `${key}: ${brief(part)}`))
      .join(', ')
      .slice(0, 120),
  ) + (parts.length > 4 ? ', …' : '')

const brief = (value: unknown): string =>
  Array.isArray(value)
    ? `[${value.length}]`
    : typeof value === 'object' && value !== null
      ? '{…}'
      : (JSON.stringify(value) ?? '').slice(0, 40)
