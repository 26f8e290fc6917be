import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { noEngine, testEngine } from '../support/docker.ts'
import type { TestEngine } from '../support/docker.ts'
import { done, openPlace } from './place.ts'
import type { Place } from './place.ts'

describe.skipIf(noEngine)('a container whose image will not do', { timeout: 120_000 }, () => {
  let place: Place
  let engine: TestEngine
  beforeAll(async () => {
    engine = await testEngine()
    place = await openPlace({ DOCKER_HOST: engine.address })
  }, 120_000)
  afterAll(async () => {
    await place?.close()
  })

  it('is not said to be ready: it has failed with the reason, and is tried again when it is next needed', async () => {
    const { box, repository } = place
    const late = `signalbox-test:late-${process.pid}`
    const wanted = { driver: 'docker', source: { path: repository }, image: late, egress: 'none' }
    const { id } = done(await box.call('POST', '/workspaces', wanted), 201)
    const prepare = () => box.call('POST', `/workspaces/${id}/prepare`, {})
    const change = async (image: string) => done(await box.call('PATCH', `/workspaces/${id}`, { image }), 200)
    const failsBecause = async (reason: RegExp) => {
      expect((await prepare()).body.error).toMatchObject({
        code: 'workspace_failed',
        message: expect.stringMatching(reason),
      })
      expect(done(await box.call('GET', `/workspaces/${id}`), 200)).toMatchObject({
        state: 'failed',
        error: expect.stringMatching(reason),
      })
    }
    const isMissing = /is not on this machine\. Fetch it first: docker pull/
    await failsBecause(isMissing)
    await change(engine.withoutNode)
    await failsBecause(/has no Node/)
    await change(engine.image)
    expect(done(await prepare())).toMatchObject({ state: 'ready' })
    expect(await change(late)).toMatchObject({ state: 'new' })
    await failsBecause(isMissing)
    const [name = '', tag = ''] = late.split(':')
    await ask('POST', `/images/${engine.image}/tag?repo=${name}&tag=${tag}`)
    try {
      expect(done(await prepare())).toMatchObject({ state: 'ready' })
    } finally {
      done(await box.call('POST', `/workspaces/${id}/stop`, {}))
      await ask('DELETE', `/images/${late}?force=1`)
    }
  })

  const ask = (method: string, path: string) =>
    new Promise<void>((resolve, reject) => {
      const socketPath = engine.address.replace('unix://', '')
      request({ socketPath, method, path }, (answer) => answer.resume().once('end', () => resolve()))
        .on('error', reject)
        .end()
    })
})
