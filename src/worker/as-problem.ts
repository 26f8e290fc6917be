import { Problem, isProblemCode } from '#domain/problem.ts'
import { WorkspaceRefusal } from '#workspaces/port.ts'

/** What people are told of a failure; nothing for a bug, which is for the log. */
export function asProblem(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error
  if (error instanceof WorkspaceRefusal && isProblemCode(error.code))
    return new Problem(error.code, error.message, error.context)
  return undefined
}
