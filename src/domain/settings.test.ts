import { expect, it } from 'vitest'
import { loadConfig } from '#config/config.ts'
import { SettingKey } from '#contract/settings.ts'
import { Problem } from './problem.ts'
import { origins } from '#config/origins.ts'
import { checkChange, describeSettings, withSettings } from './settings.ts'

const config = loadConfig({
  env: { HOME: '/home/ada', PATH: '/bin', LOG_LEVEL: 'warn', LLM_MODEL: 'm1' },
  cwd: '/',
})
const stored = (key: string, value: unknown) => ({ key, value, updatedBy: 'owner', updatedAt: new Date(0) })

it('puts what the database says over everything else, and leaves the original alone', () => {
  const { config: now, ignored } = withSettings(config, [
    stored('logLevel', 'debug'),
    stored('corsOrigins', ['https://a.example.com']),
    stored('sessionTtlMs', 3_600_000),
    stored('llmProvider', 'google'),
  ])
  expect(ignored).toEqual([])
  expect(now).toMatchObject({
    log: { level: 'debug' },
    cors: { origins: ['https://a.example.com'] },
    sessionTtlMs: 3_600_000,
    models: { provider: 'google', model: 'm1' },
  })
  expect(config.log.level).toBe('warn')
})

it('ignores what does not fit, with the reason, and takes the rest', () => {
  const { config: now, ignored } = withSettings(config, [
    stored('logLevel', 'loud'),
    stored('someOldSetting', 1),
    stored('__proto__', { a: 1 }),
    stored('maxOutputTokens', '5'),
    stored('corsOrigins', ['javascript:alert(1)']),
    stored('maxHistoryTokens', 99),
  ])
  expect(ignored.map(({ key }) => key)).toEqual([
    'logLevel',
    'someOldSetting',
    '__proto__',
    'maxOutputTokens',
    'corsOrigins',
  ])
  expect(now).toMatchObject({ log: { level: 'warn' }, chat: { maxHistoryTokens: 99, maxOutputTokens: 8192 } })
})

it('ignores a heartbeat and a limit that contradict each other', () => {
  const { config: now, ignored } = withSettings(config, [stored('heartbeatIntervalMs', 20_000)])
  expect(ignored.map(({ key }) => key)).toContain('heartbeatIntervalMs')
  expect(now.worker).toMatchObject({ heartbeatIntervalMs: 5000, staleAfterMs: 30_000 })
})

it('refuses a change that does not fit with what stands already', () => {
  const refused = () => checkChange(config, [stored('staleAfterMs', 12_000)], { heartbeatIntervalMs: 10_000 })
  expect(refused).toThrow(Problem)
  expect(refused).toThrow(/heartbeatIntervalMs: staleAfterMs must be at least twice/)
  expect(() => checkChange(config, [], { heartbeatIntervalMs: 10_000 })).not.toThrow()
  // Taking one away can be as wrong as setting it.
  const both = [stored('staleAfterMs', 100_000), stored('heartbeatIntervalMs', 40_000)]
  expect(() => checkChange(config, both, { staleAfterMs: null })).toThrow(Problem)
  expect(() => checkChange(config, both, { staleAfterMs: null, heartbeatIntervalMs: null })).not.toThrow()
  // What was wrong before is no reason to refuse something else.
  expect(() =>
    checkChange(config, [stored('heartbeatIntervalMs', 40_000)], { logLevel: 'debug' }),
  ).not.toThrow()
})

it('tells every setting with its source and what would hold otherwise', () => {
  const all = describeSettings(
    config,
    [stored('maxOutputTokens', 5), stored('logRetentionDays', 'many')],
    origins,
  )
  expect(Object.keys(all)).toEqual(SettingKey.options)
  expect(all.maxOutputTokens).toMatchObject({
    value: 5,
    source: 'database',
    otherwise: 8192,
    updatedBy: 'owner',
  })
  expect(all.logLevel).toMatchObject({
    value: 'warn',
    source: 'environment',
    updatedBy: null,
    updatedAt: null,
  })
  expect(all.logRetentionDays).toMatchObject({ value: 30, source: 'default' })
  expect(all.llmProvider).toMatchObject({ value: null, source: 'default' })
  for (const { description } of Object.values(all)) expect(description).not.toBe('')
})
