// Phones show notifications only by way of a service worker. This one does nothing else: it answers no request and keeps no
// file, so the page is always the one that the server has.
self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(open())
})

async function open() {
  const [page] = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  if (!page) return self.clients.openWindow('/inbox')
  page.postMessage('inbox', [])
  return page.focus()
}
