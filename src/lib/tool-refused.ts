/** A tool of a workspace did not do what it was asked for, and nothing has changed. The codes are the contract's ToolRefusalCode. */
export class ToolRefused extends Error {
  readonly code: string
  readonly context: Record<string, unknown> | undefined

  constructor(code: string, message: string, context?: Record<string, unknown>) {
    super(message)
    this.name = 'ToolRefused'
    this.code = code
    this.context = context
  }
}
