/** Whether something is nested deeper than so many levels. Level by level: it may be as deep as it likes. */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  let within = [value].filter(isObject)
  for (let depth = 0; depth < levels && within.length > 0; depth += 1)
    within = within.flatMap((one) => Object.values(one).filter(isObject))
  return within.length > 0
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
