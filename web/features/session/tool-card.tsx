import { useState } from 'react'
import { transcriptStrings } from '../../strings/transcript.ts'
import { Signal } from '../../ui/signal.tsx'
import type { Aspect } from '../../ui/signal.tsx'
import { ApprovalCard } from '../approval/approval-card.tsx'
import { inputLine, inputParts } from '../approval/input-parts.ts'
import { visibleText } from '../approval/visible-text.ts'
import { DiffText } from './diff-text.tsx'
import { numbered } from './numbered.ts'
import type { ToolRow, ToolState } from './transcript-row.ts'

const aspects: Record<ToolState, Aspect> = {
  running: 'moving',
  asked: 'waits',
  done: 'done',
  failed: 'stopped',
  denied: 'off',
}

/** What a tool was asked for and what came of it, in one line until somebody looks closer. */
export function ToolCard({ row, isFolded }: { row: ToolRow; isFolded: boolean }) {
  const [isOpen, setOpen] = useState(false)
  const { name, state, diffs, queue } = row
  const added = diffs.reduce((sum, diff) => sum + diff.added, 0)
  const removed = diffs.reduce((sum, diff) => sum + diff.removed, 0)
  const word = transcriptStrings.tool.states[state]
  return (
    <div data-tool={name} data-state={state} className="rounded-card border border-line bg-panel">
      <button
        type="button"
        aria-expanded={isOpen}
        className="flex min-h-8 w-full items-center gap-2 rounded-card px-3 py-1 text-start hover:bg-raise max-sm:min-h-10"
        onClick={() => setOpen(!isOpen)}
      >
        <Signal aspect={aspects[state]} word={word} hidesWord={state === 'done'} />
        <bdi className="shrink-0 text-soft">{visibleText(shownName(name))}</bdi>
        <bdi className="min-w-0 truncate font-mono text-small">{shortOf(row)}</bdi>
        {queue && (
          <span data-queue className="ms-auto shrink-0 text-small text-mute tabular-nums">
            {queue}
          </span>
        )}
        {diffs.length > 0 && (
          <span className="ms-auto shrink-0 text-small tabular-nums">
            <span className="text-go">+{added}</span> <span className="text-stop">−{removed}</span>
          </span>
        )}
      </button>
      {isOpen && row.asked && isFolded && (
        <div className="border-t border-line p-2">
          <ApprovalCard approval={row.asked} takesKeys={false} />
        </div>
      )}
      {isOpen && !isFolded && <Inside row={row} />}
    </div>
  )
}

/** On the wire a tool of ours is `board__list_tasks`; people know it as `board.list_tasks`. */
const shownName = (name: string): string => (name.startsWith('mcp__') ? name : name.replace('__', '.'))

function shortOf({ title, name, input, inputText }: ToolRow): string {
  const line = input === undefined ? inputText.slice(0, 300) : inputLine(input)
  const said = title.startsWith(`${name} `) ? title.slice(name.length + 1) : title
  return said && said !== name && !line.includes(said) ? visibleText(said) : line
}

function Inside({ row: { input, inputText, output, said, diffs, state, byRule } }: { row: ToolRow }) {
  const words = transcriptStrings.tool
  const given = input === undefined ? [{ name: '', text: visibleText(inputText) }] : inputParts(input)
  return (
    <div className="flex flex-col gap-2 border-t border-line px-3 py-2">
      {byRule && <p className="text-small text-mute">{words.byRule}</p>}
      {given.map(({ name, text }) => (
        <Piece key={name} name={name || words.input} text={text} />
      ))}
      {numbered(diffs).map(({ thing: diff, number }) => (
        <div key={number}>
          <bdi className="text-small text-mute">{diff.path}</bdi>
          <DiffText diff={diff} />
        </div>
      ))}
      {said && <Piece name={words.said} text={said} />}
      {output && (output.text !== '' || diffs.length === 0) && (
        <Piece
          name={state === 'failed' ? words.failure : words.output}
          text={visibleText(output.text) || words.nothing}
          more={output.cut > 0 ? words.cut(output.cut) : ''}
        />
      )}
    </div>
  )
}

/** What scrolls must be reachable by keyboard. */
const reachable = { tabIndex: 0 }

function Piece({ name, text, more = '' }: { name: string; text: string; more?: string }) {
  return (
    <div>
      <h4 className="text-small text-mute">{name}</h4>
      <pre
        {...reachable}
        dir="ltr"
        className="mt-0.5 max-h-80 overflow-auto rounded-control border border-line bg-ground px-2.5 py-1.5 font-mono text-small wrap-anywhere whitespace-pre-wrap"
      >
        {text}
        {more && <span className="block text-mute">{more}</span>}
      </pre>
    </div>
  )
}
