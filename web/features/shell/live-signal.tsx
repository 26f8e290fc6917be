import { liveState } from '../../connection.ts'
import { useStore } from '../../store.ts'
import { strings } from '../../strings/page.ts'
import { Signal } from '../../ui/signal.tsx'
import type { Aspect } from '../../ui/signal.tsx'

const aspects = { opening: 'queued', live: 'started', lost: 'stopped' } as const satisfies Record<
  string,
  Aspect
>

/** Whether what is on the screen is what is true right now. */
export function LiveSignal() {
  const state = useStore(liveState)
  return (
    <span data-live={state} className="text-small text-soft">
      <Signal aspect={aspects[state]} word={strings.live[state]} />
    </span>
  )
}

/** Said plainly and once, for as long as it lasts. It floats below the toasts, so that nothing jumps when it comes and goes. */
export function LostBanner() {
  const isLost = useStore(liveState, (state) => state === 'lost')
  return (
    <output className="self-center">
      {isLost && (
        <p className="flex items-center gap-2 rounded-control border border-edge bg-panel px-3 py-2 shadow-float">
          <span className="size-2 shrink-0 rounded-[1.5px] bg-stop" aria-hidden />
          {strings.lostBanner}
        </p>
      )}
    </output>
  )
}
