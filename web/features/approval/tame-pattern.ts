const longest = 200
/** A group that repeats, and in which something repeats or can be read in two ways. */
const nested = /\((?:[^()\\]|\\.)*(?:[*+}|])(?:[^()\\]|\\.)*\)(?:[*+]|\{)/
const unbounded = /(?:[*+]|\{\d*,\})/g
const mostUnbounded = 4

/**
 * Whether a pattern that somebody else wrote can be tried as one types, and never takes long. Of others the server says what it thinks,
 * where it can be stopped.
 */
export function isTame(pattern: string): boolean {
  if (pattern.length > longest || nested.test(pattern) || /\\[1-9]|\\k</.test(pattern)) return false
  if ((pattern.match(unbounded)?.length ?? 0) > mostUnbounded) return false
  // Groups in groups that repeat: what is inside is not looked at.
  if (/\([^)]*\(/.test(pattern) && /\)(?:[*+]|\{)/.test(pattern)) return false
  try {
    return new RegExp(pattern, 'u') instanceof RegExp
  } catch {
    return false
  }
}
