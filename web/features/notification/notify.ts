import { approvalStrings } from '../../strings/approval.ts'
import { strings } from '../../strings/page.ts'
import type { Waiting } from '../approval/waiting-cache.ts'
import { visibleText } from '../approval/visible-text.ts'

/** There is one at most: what is new takes the place of what was said before. */
const tag = 'signalbox-waits'
let shown: Notification | undefined

/** Says that something waits, but not what it would do: others may see the screen. Takes it back when nothing does. */
export async function notify({ rows, total }: Waiting, onClick: () => void): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration('/notifications.js')
  const newest = rows.toSorted((one, other) => other.askedAt.localeCompare(one.askedAt))[0]
  if (total === 0 || !newest) {
    shown?.close()
    for (const old of (await registration?.getNotifications({ tag })) ?? []) old.close()
    return
  }
  const asks = approvalStrings.asks[newest.kind](visibleText(newest.tool))
  const body = `${visibleText(newest.agentName)}: ${asks}`.slice(0, 200)
  const options = { body, tag, icon: '/icon-192.png', renotify: true }
  if (registration) return registration.showNotification(strings.waiting(total), options)
  shown = new Notification(strings.waiting(total), options)
  shown.addEventListener('click', () => {
    window.focus()
    onClick()
  })
}
