import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { WorkspaceDriver } from '#contract/workspace.ts'
import { testEngine } from '../support/docker.ts'
import { sitDown } from '../support/terminal.ts'
import { openPlace, openSessionIn, patience } from './place.ts'
import type { Place } from './place.ts'

// A shell beside the agent, inside the same walls.

const drivers: WorkspaceDriver[] = ['sandbox', 'docker']

describe.each(drivers)('in a workspace of the driver %s', (driver) => {
  let place: Place
  let sessionId: string
  let workspaceId: string

  beforeAll(async () => {
    place = await openPlace(driver === 'docker' ? await engineEnv() : {})
    ;({ sessionId, workspaceId } = await openSessionIn(place, driver, { egress: 'none' }))
  }, 120_000)
  afterAll(async () => {
    await place?.close()
  })

  it('a shell is in there, sees its files, and nothing of what is outside', async () => {
    const ada = await sitDown(place.box, { sessionId, window: 'shell' })
    ada.type('clear; echo at-$(pwd) home-$HOME; echo made-by-$(echo ada) > of-a-shell.txt\r')
    await expect.poll(() => ada.words, patience).toContain('at-/workspace')
    ada.type(
      `clear; ls ${place.box.home}/token; echo secrets-$(env | grep -c -e DATABASE -e SIGNALBOX_HOME)\r`,
    )
    await expect.poll(() => ada.words, patience).toContain('No such file')
    await expect.poll(() => ada.words, patience).toContain('secrets-0')
    const bob = await sitDown(place.box, { sessionId, window: 'shell' }, { cols: 70, rows: 20 })
    bob.type('clear; cat of-a-shell.txt; echo size-$(stty size | tr " " x)\r')
    await expect.poll(() => ada.words, patience).toContain('made-by-ada')
    // The walls may hear of a size a little later than the keys.
    const sized = async () => {
      bob.type('echo size-$(stty size | tr " " x)\r')
      await wait(500)
      return ada.words
    }
    await expect.poll(sized, patience).toContain('size-20x70')
    await Promise.all([ada.leave(), bob.leave()])
  })

  it('a shell does not hold up whoever wants the workspace gone', async () => {
    const ada = await sitDown(place.box, { workspaceId, window: 'shell' })
    const { status, body } = await place.box.call('POST', `/workspaces/${workspaceId}/stop`)
    expect([status, body.error]).toEqual([200, undefined])
    await ada.closed
    expect(ada.told.at(-1)).toEqual({ type: 'ended', reason: 'The shell has ended', canReturn: true })
  })
})

async function engineEnv() {
  const { address, image } = await testEngine()
  return { DOCKER_HOST: address, WORKSPACE_IMAGE: image }
}
