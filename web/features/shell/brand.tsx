export function Brand() {
  return (
    <svg viewBox="0 0 18 18" className="size-4.5 shrink-0" fill="none" aria-hidden="true">
      <rect x="1" y="2" width="5" height="14" rx="2.5" stroke="currentColor" strokeWidth="1.4" />
      <circle cx="3.5" cy="5" r="1.4" className="fill-stop" />
      <circle cx="3.5" cy="9" r="1.4" className="fill-wait" />
      <circle cx="3.5" cy="13" r="1.4" className="fill-go" />
      <path d="M9 13h8M9 9h5" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" />
    </svg>
  )
}
