import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/**
 * The declarations of JavaScript itself as one text. TypeScript has them in some sixty files, and looks through all of them again
 * for each program that it makes.
 */
export function libraryText(name: string): string {
  const folder = libraryFolder()
  const seen = new Set<string>()
  const texts: string[] = []
  const add = (one: string): void => {
    if (seen.has(one)) return
    seen.add(one)
    const text = readFileSync(join(folder, `lib.${one}.d.ts`), 'utf8')
    for (const [, needed] of text.matchAll(reference)) add(needed!)
    texts.push(text.replaceAll(reference, ''))
  }
  for (const one of [name, 'decorators', 'decorators.legacy']) add(one)
  return texts.join('\n')
}

const reference = /^\/\/\/ <reference lib="([\w.]+)" \/>$/gm

/** Beside the native program, which is in a package of its own for each kind of machine. */
function libraryFolder(): string {
  const typescript = createRequire(import.meta.url).resolve('typescript/package.json')
  const native = `@typescript/typescript-${process.platform}-${process.arch}/package.json`
  return join(createRequire(typescript).resolve(native), '../lib')
}
