import { Fragment, memo } from 'react'
import type { ReactNode } from 'react'
import { numbered } from '../session/numbered.ts'
import { blocksOf } from './blocks.ts'
import type { Block } from './blocks.ts'
import { inlineOf } from './inline.ts'
import type { Inline } from './inline.ts'

interface Props {
  text: string
  /** The fence inside of which it begins. */
  insideOf?: string
}

/** What somebody else wrote, in Markdown. Only what is made here becomes an element: no markup of theirs, no pictures from elsewhere. */
export const Markdown = memo(function Markdown({ text, insideOf = '' }: Props) {
  return <Blocks blocks={blocksOf(text, insideOf)} />
})

function Blocks({ blocks }: { blocks: readonly Block[] }): ReactNode {
  return (
    <div className="flex flex-col gap-2">
      {numbered(blocks).map(({ thing, number }) => (
        <One key={number} block={thing} />
      ))}
    </div>
  )
}

/** What scrolls must be reachable by keyboard. */
const reachable = { tabIndex: 0 }
const cell = 'border border-line px-2 py-1 text-start align-top wrap-anywhere'

function One({ block }: { block: Block }): ReactNode {
  switch (block.kind) {
    case 'paragraph':
      return (
        <p dir="auto" className="wrap-anywhere whitespace-pre-wrap">
          <Words text={block.text} />
        </p>
      )
    case 'heading':
      return <Heading {...block} />
    case 'code':
      return (
        <pre
          {...reachable}
          dir="ltr"
          data-language={block.language || undefined}
          className="max-h-120 overflow-auto rounded-control border border-line bg-panel px-2.5 py-1.5 font-mono text-small whitespace-pre"
        >
          <code>{block.text}</code>
        </pre>
      )
    case 'quote':
      return (
        <blockquote className="border-s-2 border-edge ps-3 text-soft">
          <Blocks blocks={block.blocks} />
        </blockquote>
      )
    case 'list':
      return <List {...block} />
    case 'table':
      return <Table {...block} />
    case 'line':
      return <hr className="border-line" />
  }
}

/** Below those of the page itself. */
const headings = ['h3', 'h4', 'h5', 'h6'] as const

function Heading({ level, text }: Extract<Block, { kind: 'heading' }>) {
  const Tag = headings[Math.min(headings.length, level) - 1] ?? 'h6'
  return (
    <Tag dir="auto" className={`pt-1 font-semibold wrap-anywhere ${level <= 2 ? 'text-large' : ''}`}>
      <Words text={text} />
    </Tag>
  )
}

function List({ start, items }: Extract<Block, { kind: 'list' }>) {
  const all = numbered(items).map(({ thing, number }) => (
    <li key={number} className="ps-0.5">
      <Blocks blocks={thing} />
    </li>
  ))
  const look = 'flex flex-col gap-1 ps-5'
  return start === null ? (
    <ul className={`${look} list-disc`}>{all}</ul>
  ) : (
    <ol start={start} className={`${look} list-decimal`}>
      {all}
    </ol>
  )
}

function Table({ head, rows }: Extract<Block, { kind: 'table' }>) {
  return (
    <div {...reachable} className="overflow-x-auto">
      <table className="border-collapse">
        <thead>
          <tr>
            {numbered(head).map(({ thing, number }) => (
              <th key={number} dir="auto" className={`${cell} bg-panel font-semibold`}>
                <Words text={thing} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {numbered(rows).map(({ thing: row, number }) => (
            <tr key={number}>
              {numbered(row).map(({ thing, number: column }) => (
                <td key={column} dir="auto" className={cell}>
                  <Words text={thing} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const Words = ({ text }: { text: string }) => <Parts parts={inlineOf(text)} />

const Parts = ({ parts }: { parts: readonly Inline[] }): ReactNode =>
  numbered(parts).map(({ thing, number }) => <Fragment key={number}>{piece(thing)}</Fragment>)

function piece(part: Inline): ReactNode {
  switch (part.kind) {
    case 'text':
      return part.text
    case 'code':
      return (
        <code className="rounded-small border border-line bg-panel px-1 font-mono text-small">
          {part.text}
        </code>
      )
    case 'strong':
      return (
        <strong className="font-semibold">
          <Parts parts={part.parts} />
        </strong>
      )
    case 'emphasis':
      return (
        <em>
          <Parts parts={part.parts} />
        </em>
      )
    case 'struck':
      return (
        <s>
          <Parts parts={part.parts} />
        </s>
      )
    case 'link':
      return isOutside(part.address) ? (
        <a
          href={part.address}
          title={part.address}
          target="_blank"
          rel="noopener noreferrer"
          className="underline decoration-edge underline-offset-2 hover:decoration-current"
        >
          <Parts parts={part.parts} />
        </a>
      ) : (
        <Parts parts={part.parts} />
      )
  }
}

/** Where a link may lead. Paths would be places of ours. */
const isOutside = (address: string): boolean =>
  /^(?:https?:\/\/|mailto:)/i.test(address) && URL.canParse(address)
