/** A status is a signal: shape, colour and word together, never colour alone. */
export type Aspect = 'idle' | 'queued' | 'started' | 'moving' | 'waits' | 'stopped' | 'done' | 'off'

export function Signal({
  aspect,
  word,
  hidesWord = false,
}: {
  aspect: Aspect
  word: string
  hidesWord?: boolean
}) {
  return (
    <span
      className={`inline-flex items-center gap-1.5 whitespace-nowrap ${aspect === 'waits' ? 'text-wait' : ''}`}
    >
      <Shape aspect={aspect} />
      <span className={hidesWord ? 'sr-only' : ''}>{word}</span>
    </span>
  )
}

function Shape({ aspect }: { aspect: Aspect }) {
  return (
    <svg
      viewBox="0 0 12 12"
      // The whole picture pulses, not what is in it: only that costs no painting, however many there are.
      className={`size-3 shrink-0 ${aspect === 'moving' ? 'animate-pulse-gently' : ''}`}
      aria-hidden="true"
      fill="none"
      strokeWidth="1.5"
    >
      {aspect === 'idle' && <circle cx="6" cy="6" r="3.75" className="stroke-mute" />}
      {aspect === 'queued' && <circle cx="6" cy="6" r="3.75" className="stroke-queue" />}
      {aspect === 'started' && (
        <>
          <circle cx="6" cy="6" r="3.75" className="stroke-soft" />
          <path d="M6 3.5a2.5 2.5 0 0 1 0 5z" className="fill-soft" />
        </>
      )}
      {aspect === 'moving' && <circle cx="6" cy="6" r="4.5" className="fill-go" />}
      {aspect === 'waits' && (
        <>
          <circle cx="6" cy="6" r="6" className="fill-wait opacity-25" />
          <circle cx="6" cy="6" r="4" className="fill-wait" />
        </>
      )}
      {aspect === 'stopped' && (
        <rect x="1.75" y="1.75" width="8.5" height="8.5" rx="1.5" className="fill-stop" />
      )}
      {aspect === 'done' && <path d="M2 6.4 4.8 9.2 10 3" className="stroke-mute" strokeLinecap="round" />}
      {aspect === 'off' && (
        <>
          <circle cx="6" cy="6" r="3.75" className="stroke-mute" />
          <path d="m3.4 8.6 5.2-5.2" className="stroke-mute" />
        </>
      )}
    </svg>
  )
}
