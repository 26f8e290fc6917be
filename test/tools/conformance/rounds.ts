import { acceptedContent, createRequestStateCodec, inputRequired } from '@modelcontextprotocol/server'
import type { ServerContext } from '@modelcontextprotocol/server'

const codec = createRequestStateCodec<Record<string, unknown>>({
  key: crypto.getRandomValues(new Uint8Array(32)),
})
export const mintState = (state: Record<string, unknown>): Promise<string> => codec.mint(state)
export const verifyState = (state: string, ctx: ServerContext) => codec.verify(state, ctx)

/** What was accepted under this key, if it was. */
export const contentOf = ({ mcpReq }: ServerContext, key: string): Record<string, unknown> | undefined =>
  acceptedContent(mcpReq.inputResponses, key)

/** A form with one field. */
export const form = (asked: string, field: string, kind: 'string' | 'boolean' = 'string') =>
  inputRequired.elicit({
    message: asked,
    requestedSchema: {
      type: 'object',
      properties: { [field]: kind === 'string' ? { type: 'string' } : { type: 'boolean' } },
      required: [field],
    },
  })

export const message = (text: string) =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text } }],
    maxTokens: 50,
  })
