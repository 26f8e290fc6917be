import { expect, it } from 'vitest'
import { owner } from '#domain/access.ts'
import { Problem } from '#domain/problem.ts'
import { failurePage } from './preview-failures.ts'

const user = { ...owner, kind: 'user' } as const
const notUp = (state: string) =>
  new Problem('app_not_up', 'Nothing listens on port 1.', { app: { state, said: 'a secret' } })

it('shows what the app said to the owner alone', () => {
  for (const state of ['starting', 'failing', 'running', 'stopped']) {
    expect(failurePage(notUp(state), owner).said).toBe('a secret')
    expect(failurePage(notUp(state), user).said).toBeUndefined()
    expect(failurePage(notUp(state)).said).toBeUndefined()
  }
})

it('looks again by itself while the app is starting, and only then', () => {
  expect(failurePage(notUp('starting')).again).toBe(true)
  for (const state of ['failing', 'running', 'stopped', 'none'])
    expect(failurePage(notUp(state)).again).toBeUndefined()
})

it('says nothing of how we are made', () => {
  const page = failurePage(new TypeError('cannot read properties of undefined (src/http/x.ts)'))
  expect(page.status).toBe(500)
  expect(JSON.stringify(page)).not.toContain('src/')
  expect(failurePage(new Problem('machine_unavailable', 'The worker on x is away')).lines).toEqual([
    'The worker on x is away',
  ])
})
