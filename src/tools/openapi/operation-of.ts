import { baseOf } from './base-address.ts'
import { BadPart, listOf, shown, textOf } from './document.ts'
import type { Document, Node } from './document.ts'
import { inputSchemaOf } from './input-schema.ts'
import type { Operation } from './operation.ts'
import { outputSchemaOf } from './output-schema.ts'
import { parametersOf } from './parameters.ts'
import { bodyOf } from './request-body.ts'
import type { Schemas } from './schemas.ts'
import { securityOf } from './security.ts'

export const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const
/** One operation as the document has it. */
export interface Declared {
  method: (typeof methods)[number]
  path: string
  pathItem: Node
  operation: Node
}
export interface Surroundings {
  document: Document
  /** The owner's word against that of the document. */
  base: string | undefined
  requests: Schemas
  /** None: what its answers look like is not told any more. */
  answers: Schemas | undefined
}

const longestDescription = 4_000

/** Throws BadPart, if it cannot be called. Its name is still to be given. */
export function operationOf(declared: Declared, { document, base, requests, answers }: Surroundings) {
  const { path, pathItem, operation } = declared
  const method = declared.method.toUpperCase()
  const parameters = parametersOf(document, pathItem, operation).filter(
    (one) => one.in !== 'path' || path.includes(`{${one.name}}`),
  )
  checkPath(path, new Set(parameters.filter((one) => one.in === 'path').map((one) => one.name)))
  const body = bodyOf(document, operation['requestBody'], new Set(parameters.map((one) => one.argument)))
  const input = inputSchemaOf(parameters, body, requests)
  const output = answers && outputSchemaOf(document, operation, answers)
  const servers = operation['servers'] ?? pathItem['servers'] ?? document.root['servers']
  const server = baseOf(document, servers, base)
  const summary = textOf(operation['summary'])?.trim().slice(0, 200)
  const planned: Operation = {
    method,
    path,
    base: server,
    parameters,
    ...(body && { body }),
    security: securityOf(document, operation),
    offered: {
      name: '',
      ...(summary && { title: summary }),
      description: descriptionOf(operation, `${method} ${server}${path}`),
      inputSchema: input.schema,
      ...(output && { outputSchema: output.schema }),
      annotations: hintsFor(declared.method),
      ...(document.version && { version: document.version }),
      tags: listOf(operation['tags']).filter((tag) => typeof tag === 'string'),
      deprecated: operation['deprecated'] === true,
    },
  }
  return { planned, inputSize: input.size, outputSize: output?.size ?? 0 }
}

function checkPath(path: string, parameters: ReadonlySet<string>): void {
  if (!path.startsWith('/')) throw new BadPart('its path does not begin with a slash')
  if (/[?#\s]/.test(path)) throw new BadPart('its path has more in it than a path')
  const slots = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name)
  const missing = slots.find((name) => !parameters.has(name))
  if (missing !== undefined) throw new BadPart(`${shown(missing)} in its path is no parameter`)
}

/** The address is part of it: if it becomes another one, so does the definition, and somebody is asked. */
function descriptionOf(operation: Node, address: string): string {
  const [summary, description] = [operation['summary'], operation['description']].map((one) =>
    textOf(one)?.trim(),
  )
  const parts = [
    operation['deprecated'] === true && 'Deprecated.',
    summary,
    description !== summary && description,
  ]
  const said = parts.filter((part) => part).join('\n\n')
  const cut = said.length > longestDescription ? `${said.slice(0, longestDescription)}…` : said
  return [cut, address].filter((part) => part).join('\n\n')
}

/** By what HTTP promises of its methods. */
function hintsFor(method: Declared['method']): Record<string, boolean> {
  const isSafe = ['get', 'head', 'options', 'trace'].includes(method)
  return {
    readOnlyHint: isSafe,
    destructiveHint: method === 'delete',
    idempotentHint: isSafe || method === 'put' || method === 'delete',
    openWorldHint: true,
  }
}
