import type { SettingKey } from '../../../src/contract/settings.ts'
import { settingStrings as words } from '../../strings/setting.ts'
import { bytes } from '../../ui/bytes.ts'

/** How a setting is written by people. */
export type SettingKind = 'choice' | 'switch' | 'duration' | 'size' | 'number' | 'text' | 'origins'

export const choicesOf = {
  logLevel: ['trace', 'debug', 'info', 'warn', 'error', 'fatal'],
  llmProvider: ['anthropic', 'openai', 'google', 'compatible'],
} as const

export function kindOf(key: SettingKey): SettingKind {
  if (key === 'corsOrigins') return 'origins'
  if (key === 'llmModel') return 'text'
  if (key in choicesOf) return 'choice'
  if (key === 'corsEnabled' || key.startsWith('history')) return 'switch'
  if (key.endsWith('Ms')) return 'duration'
  return key.endsWith('Bytes') ? 'size' : 'number'
}

const unitOf: Partial<Record<SettingKey, string>> = {
  logRetentionDays: words.unit.days,
  maxOutputTokens: words.unit.tokens,
  maxHistoryTokens: words.unit.tokens,
  maxHistoryMessages: words.unit.messages,
  budgetPerExecutionUsd: words.unit.usd,
  budgetPerDayUsd: words.unit.usd,
}

/** As people read it. */
export function shownValue(key: SettingKey, value: unknown): string {
  if (value === null || value === undefined) return words.none
  if (typeof value === 'boolean') return value ? words.yes : words.no
  if (Array.isArray(value)) return value.length === 0 ? words.none : value.join(', ')
  if (typeof value === 'string') return value
  if (typeof value !== 'number') return JSON.stringify(value)
  const kind = kindOf(key)
  if (kind === 'duration') return durationText(value)
  if (kind === 'size') return bytes(value)
  return [value.toLocaleString('en'), unitOf[key]].filter(Boolean).join(' ')
}

/** As it stands in the field where it is changed. */
export function writtenValue(key: SettingKey, value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.join('\n')
  if (typeof value === 'string') return value
  if (typeof value !== 'number') return JSON.stringify(value)
  const kind = kindOf(key)
  return kind === 'duration' ? durationText(value) : kind === 'size' ? sizeText(value) : String(value)
}

/** What was written, or why it cannot be read. */
export function readValue(key: SettingKey, text: string): { value: unknown } | { problem: string } {
  const plain = text.trim()
  switch (kindOf(key)) {
    case 'switch':
      return { value: plain === 'true' }
    case 'origins':
      return { value: plain.split(/[\s,]+/).filter(Boolean) }
    case 'duration':
      return measured(plain, durations, 'ms') ?? { problem: words.badDuration }
    case 'size':
      return measured(plain, sizes, 'b') ?? { problem: words.badSize }
    case 'number': {
      const number = Number(plain.replaceAll(',', ''))
      return plain === '' || Number.isNaN(number) ? { problem: words.badNumber } : { value: number }
    }
    case 'choice':
    case 'text':
      return { value: plain }
  }
}

const durations: Record<string, number> = {
  d: 86_400_000,
  h: 3_600_000,
  min: 60_000,
  m: 60_000,
  s: 1000,
  ms: 1,
}
const sizes: Record<string, number> = { tb: 1024 ** 4, gb: 1024 ** 3, mb: 1024 ** 2, kb: 1024, b: 1 }

function measured(text: string, units: Record<string, number>, usual: string): { value: number } | undefined {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text) ?? []
  const size = units[unit.toLowerCase() || usual]
  return amount === undefined || size === undefined ? undefined : { value: Math.round(Number(amount) * size) }
}

/** In the largest unit in which it is a whole number. */
const whole = (value: number, units: Record<string, number>): [number, string] => {
  const [unit, size] = Object.entries(units).find(([, each]) => value % each === 0) ?? ['', 1]
  return [value / size, unit]
}

function durationText(value: number): string {
  const [amount, unit] = value === 0 ? [0, 'ms'] : whole(value, durations)
  return `${amount} ${unit}`
}

function sizeText(value: number): string {
  const [amount, unit] = value === 0 ? [0, 'b'] : whole(value, sizes)
  return `${amount} ${unit.toUpperCase()}`
}
