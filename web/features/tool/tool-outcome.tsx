import type { ToolAnswer, ToolContent } from '../../../src/contract/tool.ts'
import { toolStrings as words } from '../../strings/tool.ts'
import { milliseconds } from '../../ui/moments.ts'
import { numbered } from '../session/numbered.ts'
import { visibleText } from '../approval/visible-text.ts'

/** More would make the page slow, and nobody reads it here. */
const mostShown = 100_000

/** What a tool answered. It is the word of others: shown, and nothing else. */
export function ToolOutcome({ answer: { result, executionTime } }: { answer: ToolAnswer }) {
  const took = milliseconds(executionTime)
  const hasText = result.content.some(({ type }) => type === 'text')
  return (
    <output className="flex flex-col gap-2">
      <span className={result.isError ? 'text-stop' : 'text-mute'}>
        {result.isError ? words.answeredError(took) : words.answered(took)}
      </span>
      {result.content.length === 0 && result.structuredContent === undefined && (
        <span className="text-mute">{words.empty}</span>
      )}
      {numbered(result.content).map(({ thing, number }) => (
        <Part key={number} part={thing} />
      ))}
      {result.structuredContent !== undefined && !hasText && (
        <Text text={JSON.stringify(result.structuredContent, null, 2)} />
      )}
    </output>
  )
}

function Part({ part }: { part: ToolContent }) {
  const { type, text, data, mimeType } = part
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
