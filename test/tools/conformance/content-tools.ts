import { setTimeout as wait } from 'node:timers/promises'
import { fromJsonSchema } from '@modelcontextprotocol/server'
import type { CallToolResult, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

export const onePixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const silence = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA='

const image = { type: 'image', data: onePixel, mimeType: 'image/png' } as const
const resource = (uri: string, mimeType: string, text: string) =>
  ({ type: 'resource', resource: { uri, mimeType, text } }) as const

const answers: Record<string, CallToolResult> = {
  test_simple_text: { content: [{ type: 'text', text: 'This is a simple text response for testing.' }] },
  test_image_content: { content: [image] },
  test_audio_content: { content: [{ type: 'audio', data: silence, mimeType: 'audio/wav' }] },
  test_embedded_resource: { content: [resource('test://embedded', 'text/plain', 'Embedded')] },
  test_multiple_content_types: {
    content: [
      { type: 'text', text: 'All kinds' },
      image,
      resource('test://mixed', 'application/json', '{"value":123}'),
    ],
  },
  test_streaming_elicitation: { content: [{ type: 'text', text: 'Only a result' }] },
}

const description = 'Answers as a scenario wants it'

/** Tools that only answer, or tell something meanwhile. */
export function addContentTools(server: McpServer): void {
  for (const [name, answer] of Object.entries(answers))
    server.registerTool(name, { description }, () => answer)
  server.registerTool('test_error_handling', { description }, () => {
    throw new Error('This tool intentionally returns an error for testing')
  })
  server.registerTool(
    'test_logging_tool',
    { description, inputSchema: z.object({}) },
    async (_args, { mcpReq }) => {
      await mcpReq.log('info', 'heard by those who want to')
      return { content: [{ type: 'text', text: 'logged' }] }
    },
  )
  server.registerTool(
    'test_tool_with_logging',
    { description, inputSchema: z.object({}) },
    async (_args, { mcpReq }) => {
      for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        await mcpReq.log('info', data)
        await wait(50)
      }
      return { content: [{ type: 'text', text: 'logged' }] }
    },
  )
  server.registerTool(
    'test_tool_with_progress',
    { description, inputSchema: z.object({}) },
    async (_args, { mcpReq }) => {
      const { _meta: { progressToken } = {} } = mcpReq
      for (const progress of [0, 50, 100]) {
        if (progressToken !== undefined)
          await mcpReq.notify({
            method: 'notifications/progress',
            params: { progressToken, progress, total: 100 },
          })
        await wait(50)
      }
      return { content: [{ type: 'text', text: 'There' }] }
    },
  )
  const mirrored = {
    type: 'object',
    properties: { region: { type: 'string', 'x-mcp-header': 'Region' }, level: { type: 'integer' } },
  }
  server.registerTool(
    'test_x_mcp_header',
    { description, inputSchema: fromJsonSchema<{ region?: string }>(mirrored) },
    ({ region }) => ({ content: [{ type: 'text', text: String(region) }] }),
  )
  server.registerTool(
    'json_schema_2020_12_tool',
    { description, inputSchema: fromJsonSchema(wholeVocabulary) },
    () => ({
      content: [{ type: 'text', text: 'It fits' }],
    }),
  )
}

const wholeVocabulary = JSON.parse(`{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "$defs": {
    "address": {
      "$anchor": "addressDef",
      "type": "object",
      "properties": { "street": { "type": "string" }, "city": { "type": "string" } }
    }
  },
  "properties": {
    "name": { "type": "string" },
    "address": { "$ref": "#/$defs/address" },
    "contactMethod": { "type": "string", "enum": ["phone", "email"] },
    "phone": { "type": "string" },
    "email": { "type": "string" }
  },
  "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
  "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
  "then": { "required": ["phone"] },
  "else": { "required": ["email"] },
  "additionalProperties": false
}`) as Record<string, unknown>
