import { z } from 'zod'
import { Time, line } from './text.ts'

const whole = (min: number, max: number) =>
  z.int('must be a whole number').min(min, `must be at least ${min}`).max(max, `must be at most ${max}`)
const usd = (max: number) => z.number('must be a number').min(0, 'must not be negative').max(max)

// Never more than a timer can wait for (24.8 days), so that no long time turns into none at all.
const milliseconds = (min: number) => whole(min, 2_147_483_647)

export const Origin = z
  .string()
  .max(300)
  .refine(
    (text) => /^https?:/.test(text) && URL.parse(text)?.origin === text,
    'must be an origin, as http://localhost:3000',
  )

export const LogLevel = z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal'])
export type LogLevel = z.infer<typeof LogLevel>

export const ModelProvider = z.enum(['anthropic', 'openai', 'google', 'compatible'])
export type ModelProvider = z.infer<typeof ModelProvider>

const setting = <Shape extends z.ZodType>(shape: Shape, description: string) =>
  shape.nullable().describe(description)

/**
 * Everything that can be changed while it runs; nothing secret is among it. What is named changes; null gives a setting
 * back to environment, file and default.
 */
export const ChangeSettings = z
  .strictObject({
    logLevel: setting(LogLevel, 'What is worth a line in the log'),
    logRetentionDays: setting(whole(1, 3650), 'Older log files are removed'),
    corsEnabled: setting(z.boolean(), 'Lets the pages of other origins call the API'),
    corsOrigins: setting(z.array(Origin).max(100), 'These origins, each by name; there is no `*`'),
    workerMaxConcurrent: setting(whole(1, 1000), 'Live executions of coding agents on one worker'),
    heartbeatIntervalMs: setting(milliseconds(100), 'How often a worker says that it lives'),
    staleAfterMs: setting(milliseconds(200), 'Silent for longer, a worker is taken for dead'),
    minFreeDiskBytes: setting(
      whole(0, Number.MAX_SAFE_INTEGER),
      'With less free disk nothing new is started',
    ),
    maxOutputTokens: setting(whole(1, 10_000_000), 'Longest answer of a model'),
    maxHistoryTokens: setting(whole(1, 100_000_000), 'What a model is shown of the past'),
    maxHistoryMessages: setting(whole(1, 1_000_000), 'The same, in messages'),
    historyCompression: setting(z.boolean(), 'Keeps old messages compressed'),
    historySummaries: setting(z.boolean(), 'Lets the model sum up what it is not shown any more'),
    sessionTtlMs: setting(milliseconds(60_000), 'Idle containers and agents older than this are ended'),
    llmProvider: setting(ModelProvider, 'Who answers chat'),
    llmModel: setting(line(200), 'Which model answers chat'),
    budgetPerExecutionUsd: setting(usd(100_000), 'What one execution may spend'),
    budgetPerDayUsd: setting(usd(1_000_000), 'What all executions may spend in a day'),
  })
  .partial()
export type ChangeSettings = z.infer<typeof ChangeSettings>

export const SettingKey = ChangeSettings.keyof()
export type SettingKey = z.infer<typeof SettingKey>

export const SettingSource = z.enum(['database', 'environment', 'file', 'default'])
export type SettingSource = z.infer<typeof SettingSource>

export const Setting = z.object({
  /** Null: there is none, and no default for it. */
  value: z.unknown(),
  source: SettingSource,
  description: z.string(),
  /** What would hold without the value in the database. */
  otherwise: z.unknown(),
  otherwiseSource: SettingSource,
  /** What holds when nobody says anything. */
  default: z.unknown(),
  /** How it is called in the environment, if it can be set there, and in the file. */
  variable: z.string().nullable(),
  key: z.string(),
  /** Why what stands in the database does not count. */
  ignored: z.string().nullable(),
  updatedBy: z.string().nullable(),
  updatedAt: Time.nullable(),
})
export type Setting = z.infer<typeof Setting>

export const AllSettings = z.record(SettingKey, Setting)
export type AllSettings = z.infer<typeof AllSettings>
