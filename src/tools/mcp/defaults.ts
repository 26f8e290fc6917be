import type { InputRequest, InputResponse } from '../port.ts'

/** What somebody left out of a form that says what is usual there is what is usual. */
export function withDefaults({ method, params }: InputRequest, response: InputResponse): InputResponse {
  const schema = params?.['requestedSchema']
  if (method !== 'elicitation/create' || response['action'] !== 'accept' || !isRecord(schema)) return response
  const fields = isRecord(schema['properties']) ? Object.entries(schema['properties']) : []
  const usual = fields.flatMap(([name, field]) =>
    isRecord(field) && 'default' in field ? [[name, field['default']] as const] : [],
  )
  const content = isRecord(response['content']) ? response['content'] : {}
  return { ...response, content: { ...Object.fromEntries(usual), ...content } }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
