import type { newRoom } from './room.ts'

interface Operation {
  requestBody?: unknown
  parameters?: { in: string }[]
  security?: unknown[]
  responses: Record<string, unknown>
}

/** The OpenAPI document, generated from the very shapes that check each request. */
export function openApiDocument(api: ReturnType<typeof newRoom>, version: string) {
  api.openAPIRegistry.registerComponent('securitySchemes', 'token', { type: 'http', scheme: 'bearer' })
  const document = api.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Signalbox',
      version,
      description: 'A self-hosted control room for AI agents that work on code',
    },
    servers: [{ url: '/api/v1' }],
    security: [{ token: [] }],
  })
  for (const methods of Object.values<Record<string, Operation>>((document.paths ?? {}) as never))
    for (const [method, operation] of Object.entries(methods)) leaveOutWhatCannotHappen(method, operation)
  return document
}

/** Every route declares the same refusals; which of them it can give follows from what it takes. */
function leaveOutWhatCannotHappen(
  method: string,
  { requestBody, parameters = [], security, responses }: Operation,
): void {
  const never = [
    ...(requestBody ? [] : ['400', '413']),
    ...(parameters.some((parameter) => parameter.in === 'path') ? [] : ['404']),
    ...(method === 'get' ? ['409'] : []),
    ...(requestBody || parameters.length > 0 ? [] : ['422']),
    ...(security?.length === 0 && !requestBody ? ['401', '403', '429'] : []),
  ]
  for (const status of never) delete responses[status]
}
