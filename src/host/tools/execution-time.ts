/** Milliseconds since then, with one decimal. */
export const sinceMs = (begun: number): number => Math.round((performance.now() - begun) * 10) / 10
