/** What the code sees of an error of ours: a name, a message, and what was put there for it. */
export function toldError(error: unknown): string {
  if (!(error instanceof Error)) return JSON.stringify({ name: 'Error', message: String(error) })
  const { name, message } = error
  const { code, kind, details } = error as { code?: unknown; kind?: unknown; details?: unknown }
  try {
    return JSON.stringify({ name, message, code, kind, details })
  } catch {
    return JSON.stringify({ name, message, code: String(code), kind: String(kind) })
  }
}
