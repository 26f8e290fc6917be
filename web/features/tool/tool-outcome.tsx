import type { ToolAnswer, ToolContent } from '../../../src/contract/tool.ts'
import { toolStrings as words } from '../../strings/tool.ts'
import { milliseconds } from '../../ui/moments.ts'
import { ValueTree } from '../code/value-tree.tsx'
import { numbered } from '../session/numbered.ts'
import { visibleText } from '../approval/visible-text.ts'

/** More would make the page slow, and nobody reads it here. */
const mostShown = 100_000

/** What a tool answered. It is the word of others: shown, and nothing else. */
export function ToolOutcome({ answer: { result, executionTime } }: { answer: ToolAnswer }) {
  const took = milliseconds(executionTime)
  const { structuredContent, content, isError } = result
  // The same is often said twice, as data and as text.
  const said =
    structuredContent === undefined ? content : content.filter((part) => dataIn(part) === undefined)
  return (
    <output data-outcome className="flex min-w-0 flex-col gap-2">
      <span className={isError ? 'text-stop' : 'text-mute'}>
        {isError ? words.answeredError(took) : words.answered(took)}
      </span>
      {content.length === 0 && structuredContent === undefined && (
        <span className="text-mute">{words.empty}</span>
      )}
      {structuredContent !== undefined && <Data value={structuredContent} />}
      {numbered(said).map(({ thing, number }) => (
        <Part key={number} part={thing} />
      ))}
    </output>
  )
}

/** Text that is an object or a list in JSON. */
function dataIn({ type, text }: ToolContent): unknown {
  if (type !== 'text' || typeof text !== 'string' || !/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

const Data = ({ value }: { value: unknown }) => (
  <div
    dir="ltr"
    className="max-h-96 overflow-auto rounded-control border border-line py-2 ps-6 pe-2 font-mono text-small leading-5"
  >
    <ValueTree value={value} />
  </div>
)

function Part({ part }: { part: ToolContent }) {
  const { type, text, data, mimeType } = part
  const read = dataIn(part)
  if (read !== undefined) return <Data value={read} />
  if (type === 'text' && typeof text === 'string') return <Text text={text} />
  if (type === 'image' && typeof data === 'string' && /^image\/(png|jpeg|gif|webp)$/.test(String(mimeType)))
    return <img alt="" className="max-h-80 self-start" src={`data:${String(mimeType)};base64,${data}`} />
  if (type === 'resource' || type === 'resource_link') return <Text text={JSON.stringify(part, null, 2)} />
  return <span className="text-mute">{words.notShown(visibleText(type))}</span>
}

const Text = ({ text }: { text: string }) => (
  <pre
    dir="auto"
    className="max-h-96 overflow-auto rounded-control border border-line p-2 font-mono text-small wrap-anywhere whitespace-pre-wrap"
  >
    {visibleText(text.slice(0, mostShown))}
  </pre>
)
