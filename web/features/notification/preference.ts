import { createStore } from '../../store.ts'

const place = 'signalbox.notifications'

/** `none`: this browser has none for this page, which is so wherever it is not read by HTTPS or on its own machine. */
export type NotificationState = 'none' | 'blocked' | 'off' | 'on'

export const notifications = createStore<NotificationState>(look())

function look(): NotificationState {
  if (!('Notification' in window) || !window.isSecureContext) return 'none'
  if (Notification.permission === 'denied') return 'blocked'
  return Notification.permission === 'granted' && localStorage.getItem(place) === 'on' ? 'on' : 'off'
}

export const wantsNotifications = (): boolean => look() === 'on'

/** Asks the browser, which asks the person. */
export async function switchOn(): Promise<void> {
  if ((await Notification.requestPermission()) === 'granted') localStorage.setItem(place, 'on')
  // Without it nothing is lost where pages themselves may show notifications.
  await navigator.serviceWorker?.register('/notifications.js').catch(() => {})
  notifications.set(look())
}

export function switchOff(): void {
  localStorage.removeItem(place)
  notifications.set(look())
}
