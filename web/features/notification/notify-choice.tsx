import { useStore } from '../../store.ts'
import { notificationStrings } from '../../strings/notification.ts'
import { Button } from '../../ui/button.tsx'
import { installOffer } from './install.ts'
import { notifications, switchOff, switchOn } from './preference.ts'

/** Whether this browser calls when something waits, and what it takes. */
export function NotifyChoice() {
  const state = useStore(notifications)
  const offer = useStore(installOffer)
  const words = notificationStrings
  return (
    <div data-notifications={state} className="flex flex-col items-start gap-2">
      <p className="text-soft">{words[state]}</p>
      <div className="flex flex-wrap gap-2 empty:hidden">
        {state === 'off' && <Button onClick={() => void switchOn()}>{words.switchOn}</Button>}
        {state === 'on' && <Button onClick={switchOff}>{words.switchOff}</Button>}
        {offer && (
          <Button onClick={() => void offer.prompt().then(() => installOffer.set(null))}>
            {words.install}
          </Button>
        )}
      </div>
      <p className="text-small text-mute">{words.limits}</p>
    </div>
  )
}
