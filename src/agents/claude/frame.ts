// What Claude Code writes, one JSON object a line, as far as we read it. It is another program's word: nothing here is sure to be
// there, and whatever is not as expected is skipped by whoever reads it.

export interface Frame {
  type: string
  subtype?: string
  uuid?: string
  session_id?: string
  /** The tool call of the main thread whose sub-agent says this. */
  parent_tool_use_id?: string | null
  [field: string]: unknown
}

export interface Block {
  type: string
  id?: string
  text?: string
  thinking?: string
  name?: string
  input?: unknown
  tool_use_id?: string
  content?: unknown
  is_error?: boolean
}

export interface MessageFrame extends Frame {
  message: { id?: string; model?: string; content: string | Block[]; usage?: TokenCounts }
  /** An API error, said as if the model had said it. */
  is_api_error_message?: boolean
  /** Something we told it, told back. */
  isReplay?: boolean
  tool_use_result?: unknown
  tool_result_meta?: { id: string; permission_decision?: { decision?: string } }[]
}

export interface StreamFrame extends Frame {
  event: {
    type: string
    index?: number
    message?: { id: string; usage?: TokenCounts }
    content_block?: Block
    delta?: { type: string; text?: string; thinking?: string; partial_json?: string }
    usage?: TokenCounts
  }
}

export interface RetryFrame extends Frame {
  attempt: number
  max_retries: number
  error_status: number | null
  error: string
}

export interface TokenCounts {
  input_tokens?: number
  cache_creation_input_tokens?: number
  cache_read_input_tokens?: number
  output_tokens?: number
}

export interface ResultFrame extends Frame {
  is_error: boolean
  terminal_reason?: string
  result?: string
  errors?: string[]
  num_turns?: number
  /** Of the whole session, also of what it was resumed or forked from. */
  total_cost_usd?: number
  usage?: TokenCounts
  model_usage_since_last_result?: Record<string, ModelUsage>
  /** Which of our messages this answers: several that were waiting may have been answered at once. */
  user_message_uuids?: string[]
}

export interface ModelUsage {
  inputTokens?: number
  outputTokens?: number
  cacheReadInputTokens?: number
  cacheCreationInputTokens?: number
  thinkingTokens?: number
  costUSD?: number
  contextWindow?: number
}

export interface ControlRequest extends Frame {
  request_id: string
  request: ToolAsked | { subtype: string }
}

export interface ToolAsked {
  subtype: 'can_use_tool'
  tool_name: string
  display_name?: string
  description?: string
  input: Record<string, unknown>
  permission_suggestions?: Suggestion[]
  tool_use_id?: string
}

export interface Suggestion {
  type: string
  rules?: { toolName: string; ruleContent?: string }[]
  directories?: string[]
  behavior?: string
  mode?: string
  destination?: string
}

export interface ControlResponse extends Frame {
  response: { subtype: string; request_id: string; response?: unknown; error?: string }
}

/** Undefined for a line that is no frame. */
export function parseFrame(line: string): Frame | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isRecord(value) && typeof value['type'] === 'string' ? (value as Frame) : undefined
  } catch {
    return undefined
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
