import { createStore } from '../../store.ts'

interface InstallPrompt extends Event {
  prompt: () => Promise<unknown>
}

/** What the browser offers to install the page with, if it does. */
export const installOffer = createStore<InstallPrompt | null>(null)

window.addEventListener('beforeinstallprompt', (event) => {
  event.preventDefault()
  installOffer.set(event as InstallPrompt)
})
window.addEventListener('appinstalled', () => installOffer.set(null))
