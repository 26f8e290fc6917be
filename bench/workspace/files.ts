import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A tree as projects have them: many small files in many folders, one word in a few of them. */
export function makeFiles(root: string, amount: number): void {
  const perFolder = 100
  for (let index = 0; index < amount; index += 1) {
    const folder = join(
      root,
      `package-${Math.floor(index / (perFolder * 20))}`,
      `part-${Math.floor(index / perFolder)}`,
    )
    if (index % perFolder === 0) mkdirSync(folder, { recursive: true })
    const isMarked = index % 1000 === 7
    writeFileSync(join(folder, `file-${index}.ts`), contentOf(index, isMarked))
  }
}

const contentOf = (index: number, isMarked: boolean): string =>
  [
    `import { something } from './file-${index - 1}.ts'`,
    '',
    `/** The ${index}th of many. */`,
    `export function work${index}(given: string): string {`,
    ...Array.from({ length: 20 }, (_, line) => `  const step${line} = something(given, ${index + line})`),
    `  return ${isMarked ? "'needle in a haystack'" : 'step19'}`,
    '}',
    '',
  ].join('\n')
