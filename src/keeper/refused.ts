const statuses = {
  bad_request: 400,
  not_found: 404,
  execution_not_found: 404,
  stale_epoch: 409,
  other_workspace: 409,
  not_ended: 409,
  already_ran: 409,
  too_late: 409,
  too_large: 413,
  busy: 409,
  not_started: 409,
  shutting_down: 503,
} as const
export type RefusalCode = keyof typeof statuses

/** What a keeper does not do, as `{error: {code, message}}`. */
export class Refused extends Error {
  readonly code: RefusalCode

  constructor(code: RefusalCode, message: string) {
    super(message)
    this.code = code
  }

  get status(): number {
    return statuses[this.code]
  }
}
