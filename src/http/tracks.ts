import { createRoute } from '@hono/zod-openapi'
import { TrackQuery, Tracks } from '#contract/track.ts'
import { readTracks } from '#db/tracks.ts'
import { answersOne } from './answers.ts'
import { requireOneScope } from './auth.ts'
import { newRoom } from './room.ts'
import type { Parts } from './room.ts'

const tracks = createRoute({
  method: 'get',
  path: '/tracks',
  tags: ['sessions'],
  summary:
    'What each session did in some minutes up to now or an earlier time: worked, waited for a person, called tools, failed',
  request: { query: TrackQuery },
  responses: answersOne(Tracks, 'Those under way first; the owner sees all of them, others their own'),
})

export function tracksRoutes({ pool }: Pick<Parts, 'pool'>) {
  const room = newRoom()
  room.use('/tracks', requireOneScope('run', 'board', 'chat'))

  room.openapi(tracks, async (c) => {
    const { kind, id } = c.get('principal')
    const data = await readTracks(pool.db, c.req.valid('query'), kind === 'owner' ? undefined : id)
    return c.json({ data }, 200)
  })

  return room
}
