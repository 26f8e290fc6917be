import { setImmediate } from 'node:timers/promises'
import { BadPart, behind, isNode, textOf } from './document.ts'
import type { Document, Node } from './document.ts'
import { methods, operationOf } from './operation-of.ts'
import type { Declared } from './operation-of.ts'
import type { Operation } from './operation.ts'
import { openSchemas } from './schemas.ts'
import { operationNames } from './tool-name.ts'

export interface Operations {
  /** By the names of their tools, in the order of the document. */
  found: ReadonlyMap<string, Operation>
  /** What cannot be called, and why; or goes by another name than the document says. */
  told: readonly string[]
}

const mostOperations = 10_000
/** Of all schemas together, in characters: for the shape of answers, which is only good to know, and for arguments. */
const mostOutput = 16_777_216
const mostInput = 67_108_864

/** Everything in a document that can be called. `base` is the owner's word against that of the document. */
export async function operationsOf(document: Document, base?: string): Promise<Operations> {
  const found = new Map<string, Operation>()
  const told: string[] = []
  const [requests, answers] = [openSchemas(document, 'requests'), openSchemas(document, 'answers')]
  const names = operationNames()
  let [inputSum, outputSum] = [0, 0]

  let count = 0
  for (const declared of declaredIn(document, told)) {
    // Thousands of them take seconds, and others have something to do.
    if (++count % 100 === 0) await setImmediate()
    const { method, path, operation } = declared
    try {
      if (found.size >= mostOperations)
        throw new BadPart(`it is beyond the first ${mostOperations} operations`)
      if (inputSum > mostInput) throw new BadPart('the arguments of all operations together are too much')
      const surroundings = { document, base, requests, answers: outputSum < mostOutput ? answers : undefined }
      const { planned, inputSize, outputSize } = operationOf(declared, surroundings)
      const name = names.take(textOf(operation['operationId']), method, path)
      if (name.told !== undefined) told.push(`${calledOf(method, path)}: ${name.told}`)
      inputSum += inputSize
      outputSum += outputSize
      found.set(name.given, { ...planned, offered: { ...planned.offered, name: name.given } })
    } catch (error) {
      told.push(leftOut(calledOf(method, path), error))
    }
  }
  return { found, told }
}

function* declaredIn(document: Document, told: string[]): Generator<Declared> {
  for (const [path, given] of Object.entries(document.root['paths'] as Node)) {
    if (path.startsWith('x-')) continue
    try {
      const pathItem = behind(document, given, 'it')
      for (const method of methods) {
        const operation = pathItem[method]
        if (isNode(operation)) yield { method, path, pathItem, operation }
        else if (operation !== undefined)
          told.push(leftOut(calledOf(method, path), new BadPart('it is no object')))
      }
    } catch (error) {
      told.push(leftOut(calledOf('', path), error))
    }
  }
}

const calledOf = (method: string, path: string) => `${method.toUpperCase()} ${path.slice(0, 200)}`.trim()

function leftOut(called: string, error: unknown): string {
  if (error instanceof BadPart) return `${called}: left out, for ${error.message}`
  throw error
}
