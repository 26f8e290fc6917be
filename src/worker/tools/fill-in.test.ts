import { describe, expect, it } from 'vitest'
import { SourceConfig } from '#contract/source.ts'
import { fillIn } from './fill-in.ts'

const filled = (given: object, env: NodeJS.ProcessEnv = {}) =>
  fillIn(SourceConfig.parse({ transport: 'stdio', command: 'x', ...given }), env)

describe('the variables of a source', () => {
  it('are filled in wherever they are written', () => {
    const env = { A: 'one', B: 'two' }
    const config = filled(
      {
        command: '/opt/${A}',
        args: ['--${B}', '$${A}', '${MISSING:-three}'],
        cwd: '/${A}',
        env: { X: '${A}${B}' },
        headers: { H: 'Bearer ${B}' },
        url: 'https://${A}/',
        auth: { token: '${A}', clientId: '${B}', clientSecret: '${A}' },
        document: '{"description": "${A} stays"}',
      },
      env,
    )
    expect(config).toMatchObject({
      command: '/opt/one',
      args: ['--two', '${A}', 'three'],
      cwd: '/one',
      env: { X: 'onetwo' },
      headers: { H: 'Bearer two' },
      url: 'https://one/',
      auth: { token: 'one', clientId: 'two', clientSecret: 'one' },
      document: '{"description": "${A} stays"}',
    })
  })

  it('are missed by name, with where', () => {
    expect(() => filled({ env: { KEY: '${NOWHERE}' } })).toThrow(
      /env\.KEY names the variable NOWHERE, which is not set/,
    )
  })

  it.each(['SIGNALBOX_TOKEN', 'DATABASE_URL', 'JWT_SECRET', 'PGPASSWORD', 'signalbox_home'])(
    'never give away %s',
    (name) => {
      expect(() => filled({ env: { KEY: `\${${name}}` } }, { [name]: 'ours' })).toThrow(/Signalbox's own/)
      expect(() => filled({ env: { KEY: `\${${name}:-x}` } }, { [name]: 'ours' })).toThrow(/Signalbox's own/)
    },
  )

  it('are filled in once: what a variable holds is not looked into again', () => {
    expect(filled({ env: { KEY: '${A}' } }, { A: '${DATABASE_URL}', DATABASE_URL: 'x' }).env).toEqual({
      KEY: '${DATABASE_URL}',
    })
  })
})
