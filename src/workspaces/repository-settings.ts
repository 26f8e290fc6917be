import { faultInJson } from '#lib/json.ts'
import type { RepositorySettings } from './port.ts'

export const settingsFile = 'signalbox.json'
export const noSettings: RepositorySettings = { setup: null, teardown: null, app: null }

const longest = 10_000

/** Reads `signalbox.json`. What does not fit is left out, and told. */
export function readSettings(text: string): { settings: RepositorySettings; remarks: string[] } {
  const fault = faultInJson(text)
  if (fault) {
    const place = fault.path ? `${fault.path}: ` : ''
    const remark = `${settingsFile} is not used: line ${fault.line}: ${place}${fault.reason}.`
    return { settings: noSettings, remarks: [remark] }
  }
  const written: unknown = JSON.parse(text)
  if (!isMap(written))
    return { settings: noSettings, remarks: [`${settingsFile} is not used: it must be an object.`] }

  const remarks: string[] = []
  const script = (key: string): string | null => {
    const value = written[key]
    if (value === undefined || value === null) return null
    const lines = Array.isArray(value) ? value : [value]
    const fits = lines.every((line) => typeof line === 'string') && lines.join('\n').length <= longest
    if (!fits) remarks.push(`${settingsFile}: ${key} is not used: it must be a command, or a list of them.`)
    return fits ? lines.join('\n') : null
  }
  const settings = {
    setup: script('setup'),
    teardown: script('teardown'),
    app: appOf(written['run'], remarks),
  }
  const unknown = Object.keys(written).filter((key) => !['$schema', 'setup', 'run', 'teardown'].includes(key))
  if (unknown.length > 0)
    remarks.push(
      `${settingsFile}: nothing is known of ${unknown
        .slice(0, 10)
        .map((key) => key.slice(0, 50))
        .join(', ')}.`,
    )
  return { settings, remarks }
}

function appOf(value: unknown, remarks: string[]): RepositorySettings['app'] {
  if (value === undefined || value === null) return null
  const { command, port } = isMap(value) ? value : {}
  if (typeof command === 'string' && command !== '' && command.length <= 4096 && !/[\r\n\0]/.test(command))
    if (typeof port === 'number' && Number.isInteger(port) && port >= 1024 && port <= 65_535)
      return { command, port }
  remarks.push(`${settingsFile}: run is not used: it must be {"command": "…", "port": 1024 to 65535}.`)
  return null
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
