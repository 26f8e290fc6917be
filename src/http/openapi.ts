import type { newRoom } from './room.ts'

/** The OpenAPI document, generated from the very shapes that check each request. */
export function openApiDocument(api: ReturnType<typeof newRoom>) {
  api.openAPIRegistry.registerComponent('securitySchemes', 'token', { type: 'http', scheme: 'bearer' })
  return api.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Signalbox',
      version: '1',
      description: 'A self-hosted control room for AI agents that work on code',
    },
    servers: [{ url: '/api/v1' }],
    security: [{ token: [] }],
  })
}
