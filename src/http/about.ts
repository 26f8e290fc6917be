import { createRoute } from '@hono/zod-openapi'
import { About } from '#contract/about.ts'
import { databaseFacts } from '#db/about.ts'
import { answersOne } from './answers.ts'
import { requireScope } from './auth.ts'
import { newRoom } from './room.ts'
import type { Parts } from './room.ts'

const about = createRoute({
  method: 'get',
  path: '/about',
  tags: ['settings'],
  summary: 'What this Signalbox is, and where it keeps what it has',
  responses: answersOne(About, 'Version, places and database'),
})

export function aboutRoutes({
  pool,
  settings,
  version,
  machineId,
}: Pick<Parts, 'pool' | 'settings' | 'version' | 'machineId'>) {
  const room = newRoom()
  room.use('/about', requireScope('admin'))
  room.openapi(about, async (c) => {
    const { home, configFile = null, log, publicUrl = null, allowedWorkingDirs } = settings.base
    const { folder, since, ...database } = await databaseFacts(pool.db)
    const kind = folder?.startsWith(`${home}/`) ? ('embedded' as const) : ('outside' as const)
    const data = {
      version,
      node: process.version,
      machineId,
      home,
      configFile,
      logs: log.dir,
      publicUrl,
      allowedWorkingDirs,
      database: { ...database, kind, since: since.toISOString() },
    }
    return c.json({ data }, 200)
  })
  return room
}
