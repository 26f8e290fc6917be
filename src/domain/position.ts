import { generateKeyBetween, generateNKeysBetween } from 'fractional-indexing'

// Cards dropped again and again into the same gap make keys longer by about one letter for every six drops.
const longestPosition = 60

/** A position between two others; null stands for an end of the column. */
export const positionBetween = (above: string | null, below: string | null): string =>
  generateKeyBetween(above, below)

/** Whether a column's positions have grown so long that they should be given out anew. */
export const needsRespread = (position: string): boolean => position.length > longestPosition

/** Fresh, short positions for a whole column, in order. */
export const spread = (count: number): string[] => generateNKeysBetween(null, null, count)
