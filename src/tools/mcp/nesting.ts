import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import { isDeeperThan } from '../measure.ts'

// JSON can be nested as deep as a message is long, and nearly everything that reads it calls itself for each level: what is deeper
// than that can be must be seen before anybody looks at it.

/** Deeper ones cannot be called anyway (definition.ts says so of them): nothing else is read of these. */
export const deepestTool = 500
export const deepestMessage = 2_000

export const isTooDeepTool = (tool: unknown): boolean => isDeeperThan(tool, deepestTool)
export const isTooDeep = (message: JSONRPCMessage): boolean => isDeeperThan(message, deepestMessage)

export const tooDeepUnread = `It sent a message that is nested deeper than ${deepestMessage} levels, which was not read`
export const tooDeepAnswer = `Its answer is nested deeper than ${deepestMessage} levels, which is not read`
export const tooDeepQuestion = `Nested deeper than ${deepestMessage} levels`
