import { transformSync } from 'oxc-transform'
import type { OxcError, TransformOptions } from 'oxc-transform'
import type { Diagnostic } from '#contract/execute.ts'
import { mayLeaveBody } from './leaves-body.ts'
import { placeAt } from './place.ts'

/** As code runs: a function, whose own lines begin on the second. */
export const asFunction = (code: string): string => `${head}${code}\n})`

const head = '(async () => {"use strict";\n'
const headAlone = 'async function code() {"use strict";\n'
const mostTold = 20

/** Takes the types away. Only for the process that checks: what is nested deeply enough makes the native code fall over. */
export function strip(code: string): { code: string; mappings: string } | { syntax: Diagnostic[] } {
  const { errors, map, ...done } = transformSync('code.ts', asFunction(code), options)
  if (errors.length > 0) return { syntax: told(code, errors, head) }
  // What closes an arrow in brackets and goes on after it cannot be read in a function that stands alone.
  const alone = mayLeaveBody(code) ? transformSync('code.ts', `${headAlone}${code}\n}`, options).errors : []
  return alone.length > 0
    ? { syntax: told(code, alone, headAlone) }
    : { code: done.code, mappings: map?.mappings ?? '' }
}

const options: TransformOptions = {
  lang: 'ts',
  sourceType: 'module',
  sourcemap: true,
  typescript: { onlyRemoveTypeImports: true },
}

function told(code: string, errors: readonly OxcError[], before: string): Diagnostic[] {
  return errors.slice(0, mostTold).map(({ message, labels, helpMessage }) => {
    const at = Math.min(Math.max(0, (labels[0]?.start ?? before.length) - before.length), code.length)
    return {
      ...placeAt(code, at),
      message: bodyOnly(code, at) ?? message,
      ...(helpMessage ? { suggestion: helpMessage } : {}),
    }
  })
}

const isThere = 'What it can use is there already (mcp, context, fetch, fs, console)'
export const nothingToImport = `There is nothing to import. ${isThere}`

/** For an error at this place, when it is because there is no import and no export. */
export const bodyOnly = (code: string, at: number): string | undefined =>
  /^(import|export)\b(?!\s*[(.])/.test(code.slice(at, at + 10))
    ? `Code is the body of a function: it has no import and no export. ${isThere}, and \`return\` gives its result`
    : undefined
