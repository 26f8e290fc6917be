import { transform, transformSync } from 'oxc-transform'
import type { TransformOptions, TransformResult } from 'oxc-transform'
import type { Diagnostic } from '#contract/execute.ts'
import { lineMap, sameLines } from './line-map.ts'
import type { LineMap } from './line-map.ts'
import { placeAt } from './place.ts'

/** JavaScript that makes a function, and where its lines come from; or what is wrong with its syntax. */
export type Stripped = { code: string; map: LineMap } | { broken: Diagnostic[] }

const head = '(async () => {"use strict";\n'
const tail = '\n})'
/** Longer code is not kept waiting for on this thread. */
const longAtOnce = 50_000
const mostTold = 20

/** Takes the types away. JavaScript stays as it is. */
export async function strip(code: string, isTypeScript: boolean): Promise<Stripped> {
  const wrapped = head + code + tail
  const options: TransformOptions = isTypeScript
    ? { lang: 'ts', sourceType: 'module', sourcemap: true, typescript: { onlyRemoveTypeImports: true } }
    : { lang: 'js', sourceType: 'module' }
  const name = isTypeScript ? 'code.ts' : 'code.js'
  const done =
    wrapped.length > longAtOnce
      ? await transform(name, wrapped, options)
      : transformSync(name, wrapped, options)
  if (done.errors.length > 0) return { broken: brokenIn(code, done) }
  return isTypeScript && done.map
    ? { code: done.code, map: lineMap(done.map.mappings) }
    : { code: wrapped, map: sameLines }
}

const brokenIn = (code: string, { errors }: TransformResult): Diagnostic[] =>
  errors.slice(0, mostTold).map(({ message, labels, helpMessage }) => {
    const at = Math.min(Math.max(0, (labels[0]?.start ?? head.length) - head.length), code.length)
    const isOutside = /^(import|export)\b(?!\s*[(.])/.test(code.slice(at, at + 10))
    return {
      ...placeAt(code, at),
      message: isOutside ? bodyOnly : message,
      ...(helpMessage && !isOutside ? { suggestion: helpMessage } : {}),
    }
  })

const bodyOnly =
  'Code is the body of a function: it has no import and no export. What it can use is there already (mcp, context, fetch, fs, console), and `return` gives its result'
