import { Problem } from './problem.ts'

/** Whoever asks for more memory than there is hears it, and does not get less in silence. Throws Problem `does_not_fit`. */
export function checkMemory(asked: number | undefined, most: number): void {
  if (asked === undefined || asked <= most) return
  const reason = `must be at most ${inMegabytes(most)} (sandbox.limits.memory of the configuration)`
  throw new Problem('does_not_fit', `The body does not fit: memoryLimit: ${reason}`, {
    in: 'body',
    fields: [{ field: 'memoryLimit', reason }],
  })
}

const inMegabytes = (bytes: number): string => `${Math.floor((bytes / 1024 ** 2) * 10) / 10}MB`
