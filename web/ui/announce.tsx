import { createStore, useStore } from '../store.ts'

const spoken = createStore({ text: '', times: 0 })

/** Tells a screen reader what a sighted person sees happen. */
export function announce(text: string): void {
  spoken.set(({ times }) => ({ text, times: times + 1 }))
}

export function Announcer() {
  const { text, times } = useStore(spoken)
  // A text that is said twice in a row must differ, or it is read only once.
  return (
    <div role="log" aria-live="assertive" className="sr-only" data-announcer>
      {text}
      {times % 2 === 1 ? '\u00a0' : ''}
    </div>
  )
}
