import { approvalStrings } from '../../strings/approval.ts'
import { discoveryStrings as words } from '../../strings/discovery.ts'

const fills = [0, 0.25, 0.25, 1]
const colours = ['text-mute', 'text-caution', 'text-stop', 'text-stop']

/** How much harm it can do: a triangle that fills up, and a word. Amber is not for this: it means "waits for you". */
export function DangerMark({ level, hidesWord = false }: { level: number; hidesWord?: boolean }) {
  return (
    <span
      data-danger={level}
      title={words.dangerText[level]}
      className={`inline-flex items-center gap-1.5 whitespace-nowrap ${colours[level]}`}
    >
      {level > 0 && (
        <svg
          viewBox="0 0 12 12"
          className="size-3 shrink-0"
          stroke="currentColor"
          fill="currentColor"
          fillOpacity={fills[level]}
          strokeWidth="1.3"
          strokeLinejoin="round"
          aria-hidden
        >
          <path d="M6 1.5 11 10.5H1Z" />
        </svg>
      )}
      <span className={hidesWord ? 'sr-only' : ''}>{approvalStrings.danger[level]}</span>
    </span>
  )
}
