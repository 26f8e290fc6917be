import { AvailableModels, CheckedModels } from '#contract/model.ts'
import type { AvailableModel } from '#contract/model.ts'
import { inertLine } from '#lib/inert-text.ts'
import { ask } from './client.ts'
import type { Connection } from './connection.ts'
import { note, print, printJson } from './output.ts'
import type { Screen } from './screen.ts'
import { formatTable } from './table.ts'
import type { Column } from './table.ts'

export interface ModelListOptions {
  fresh?: boolean
  machine?: string
  json?: boolean
}

const columns: Column<AvailableModel>[] = [
  {
    title: 'NAME',
    text: ({ name }) => name,
    colour: ({ isDefault }) => (isDefault ? 'green' : 'plain'),
    flexible: true,
  },
  { title: 'WINDOW', text: ({ contextWindow }) => inThousands(contextWindow), spare: 2 },
  { title: '$ IN', text: ({ price }) => dollars(price?.input), spare: 1 },
  { title: '$ OUT', text: ({ price }) => dollars(price?.output), spare: 1 },
  { title: '', text: ({ isDefault }) => (isDefault ? 'default' : '') },
]

/** Answers with the exit code. */
export async function listModels(
  connection: Connection,
  screen: Screen,
  { fresh, machine, json }: ModelListOptions,
): Promise<number> {
  const query = { ...(fresh && { fresh: '1' }), ...(machine && { machineId: machine }) }
  const at = (path: string) => `/models/${path}?${new URLSearchParams(query).toString()}`
  const { models, ...listed } = await ask(connection, at('available'), AvailableModels)
  const { providers, reason } = await ask(connection, at('check'), CheckedModels)
  if (json) await printJson({ ...listed, models, providers, reason })
  else {
    if (models.length > 0) await print(process.stdout, formatTable(screen, models, columns))
    for (const one of providers)
      if (one.reason !== null) note(`${one.provider} ${one.status}: ${inertLine(one.reason)}`)
    if (reason !== null) note(inertLine(reason))
  }
  return models.length > 0 ? 0 : 1
}

const inThousands = (tokens: number | null): string =>
  tokens === null ? '?' : tokens < 1_000 ? String(tokens) : `${Math.round(tokens / 1_000)}k`

/** For a million tokens. */
const dollars = (price: number | undefined): string => (price === undefined ? '?' : price.toFixed(2))
