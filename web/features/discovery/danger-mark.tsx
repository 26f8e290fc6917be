import { discoveryStrings as words } from '../../discovery-strings.ts'

/** How much harm it can do: a triangle that fills up, and a word. Amber is not for this: it means "waits for you". */
export function DangerMark({ level, hidesWord = false }: { level: number; hidesWord?: boolean }) {
  const look = level >= 2 ? 'stroke-stop' : 'stroke-mute'
  return (
    <span
      data-danger={level}
      title={words.dangerText[level]}
      className={`inline-flex items-center gap-1.5 whitespace-nowrap ${level >= 2 ? 'text-stop' : ''}`}
    >
      <svg
        viewBox="0 0 12 12"
        className={`size-3 shrink-0 ${look}`}
        fill="none"
        strokeWidth="1.3"
        aria-hidden
      >
        {level === 0 ? (
          <path d="M1 6s1.8-3.2 5-3.2S11 6 11 6 9.200 9.200 6 9.200 1 6 1 6Z M6 4.700v2.600" />
        ) : (
          <path
            d="M6 1.500 11 10.500H1Z"
            strokeLinejoin="round"
            className={level === 3 ? 'fill-stop' : level === 2 ? 'fill-stop/25' : ''}
          />
        )}
      </svg>
      <span className={hidesWord ? 'sr-only' : ''}>{words.danger[level]}</span>
    </span>
  )
}
