import { join } from 'node:path'
import { serveStatic } from '@hono/node-server/serve-static'
import { compress } from 'hono/compress'
import { newRoom } from './room.ts'

const built = join(import.meta.dirname, '../../dist/web')
const aYear = 'public, max-age=31536000, immutable'

/** The built page. Files in assets/ carry their hash in the name, so they may be kept for ever; the page itself never. */
export function userInterface() {
  const room = newRoom()
  room.use(compress())
  room.get('/assets/*', serveStatic({ root: built, onFound: (_path, c) => c.header('Cache-Control', aYear) }))
  room.get('/*', serveStatic({ root: built, onFound: (_path, c) => c.header('Cache-Control', 'no-cache') }))
  // Every other address is a page's: the router in the browser knows which.
  room.get('/*', async (c, next) => {
    if (/^\/(?:api|assets)\/|\.[^/]*$/.test(c.req.path)) return next()
    return serveStatic({
      root: built,
      path: 'index.html',
      onFound: (_path, c) => c.header('Cache-Control', 'no-cache'),
    })(c, next)
  })
  return room
}
