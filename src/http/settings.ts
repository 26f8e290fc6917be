import { createRoute } from '@hono/zod-openapi'
import { origins } from '#config/origins.ts'
import { AllSettings, ChangeSettings } from '#contract/settings.ts'
import { readSettings } from '#db/settings.ts'
import { describeSettings } from '#domain/settings.ts'
import { changeSettings } from '#flows/change-settings.ts'
import { answersOne, body } from './answers.ts'
import { requireScope } from './auth.ts'
import { newRoom } from './room.ts'
import type { Parts } from './room.ts'

const tags = ['settings']

const read = createRoute({
  method: 'get',
  path: '/settings',
  tags,
  summary: 'Every setting that can be changed while it runs, its value and where that comes from',
  responses: answersOne(AllSettings, 'The settings'),
})

const change = createRoute({
  method: 'patch',
  path: '/settings',
  tags,
  summary: 'Change settings for all processes at once; null gives one back to environment, file and default',
  request: body(ChangeSettings),
  responses: answersOne(AllSettings, 'The settings as they are now'),
})

export function settingsRoutes({ pool, settings }: Pick<Parts, 'pool' | 'settings'>) {
  const room = newRoom()
  room.use('/settings', requireScope('admin'))

  room.openapi(read, async (c) =>
    c.json({ data: describeSettings(settings.base, await readSettings(pool.db), origins) }, 200),
  )
  room.openapi(change, async (c) => {
    const given = c.req.valid('json')
    const data = await pool.transaction((tx) => changeSettings(tx, c.get('principal'), settings.base, given))
    await settings.refresh()
    c.get('log').info({ settings: Object.keys(given), by: c.get('principal').id }, 'settings changed')
    return c.json({ data }, 200)
  })
  return room
}
