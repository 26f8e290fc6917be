import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import { Preview, PreviewAsked } from '#contract/workspace.ts'
import { Id } from '#contract/text.ts'
import { choosePort, previewedPort } from '#domain/preview.ts'
import { Problem } from '#domain/problem.ts'
import { chooseMachine } from '#flows/choose-machine.ts'
import { issuePreviewTicket } from '#flows/open-preview.ts'
import { visibleWorkspace } from '#flows/find-workspace.ts'
import { isLoopback } from '#lib/loopback.ts'
import { answersCreated, body } from './answers.ts'
import { askWorker } from './owning-worker.ts'
import { bearerToken, requireScope } from './auth.ts'
import { ticketParameter } from './preview-door.ts'
import { previewName } from './preview-host.ts'
import { newRoom } from './room.ts'
import type { Parts } from './room.ts'
import { socketOf } from './socket.ts'

const preview = createRoute({
  method: 'post',
  path: '/workspaces/{id}/preview',
  tags: ['workspaces'],
  summary:
    'Get the address where a browser on this machine sees the app of a workspace, or another of its ports',
  request: { params: z.strictObject({ id: Id }), ...body(PreviewAsked) },
  responses: answersCreated(
    Preview,
    'The address: it opens once, within 30 seconds, and stays open for 12 hours',
  ),
})

type PreviewParts = Pick<Parts, 'pool' | 'doorkeeper' | 'settings' | 'machineId'>

/** Its files may have to be brought, and its walls to be put up. */
const patienceMs = 60_000

export function previewsRoutes({ pool, doorkeeper, settings, machineId }: PreviewParts) {
  const room = newRoom()
  room.on('POST', '/workspaces/:id/preview', requireScope('run'))

  room.openapi(preview, async (c) => {
    const { host: ours, port: configured, publicUrl } = settings.current()
    const host = URL.parse(`http://${c.req.header('host')}`)?.hostname ?? ours
    if (publicUrl !== undefined || !isLoopback(host))
      throw new Problem(
        'previews_unavailable',
        'Previews are shown under names that end in .localhost, which every browser looks for on its own machine. Open Signalbox by http://localhost on the machine that it runs on, without PUBLIC_URL.',
      )
    const workspace = await visibleWorkspace(pool.db, c.get('principal'), c.req.valid('param').id)
    const place = { workspaceId: workspace.id, port: choosePort(workspace, c.req.valid('json').port) }
    const machine = await chooseMachine(pool.db, workspace.machineId, machineId)
    const asked = { workspaceId: workspace.id, port: previewedPort(workspace, place.port) }
    await askWorker(pool.db, machine, '/open-preview', asked, z.object({}), patienceMs)
    const credential = await doorkeeper.admit(bearerToken(c))
    const asker =
      credential.kind === 'jwt'
        ? { principal: credential.principal, tokenId: null, until: credential.expiresAt }
        : { principal: credential.principal, tokenId: credential.tokenId, until: null }
    const { ticket, expiresAt } = await pool.transaction((tx) => issuePreviewTicket(tx, asker, place))
    const port = socketOf(c)?.localPort ?? configured
    const url = `http://${previewName(place)}:${port}/?${ticketParameter}=${ticket}`
    return c.json({ data: { url, expiresAt: expiresAt.toISOString() } }, 201)
  })
  return room
}
