import { CallFailed } from '../port.ts'
import { credentialsFor, nothingFor } from './credentials.ts'
import type { Credentials } from './credentials.ts'
import type { Operation, Parameter } from './operation.ts'
import { writtenBody } from './write-body.ts'
import type { SentBody } from './write-body.ts'
import { encoded, inHeader, inPath, inQuery } from './write-value.ts'

export interface ApiRequest {
  method: string
  url: URL
  headers: Headers
  body?: SentBody
}

type Args = Record<string, unknown>
type Secrets = Parameters<typeof credentialsFor>[1]

/** `home` is where the credentials belong: they are shown nowhere else. Throws CallFailed. */
export function buildRequest(operation: Operation, args: Args, secrets: Secrets, home: string): ApiRequest {
  const url = new URL(operation.base + pathFor(operation, args))
  const isHome = url.origin === home
  const shown = isHome ? credentialsFor(operation, secrets) : nothingFor(operation, home)
  const pairs = given(operation, 'query', args).flatMap(([parameter, value]) => inQuery(parameter, value))
  pairs.push(...shown.query.map(([name, value]): [string, string] => [encoded(name), encoded(value)]))
  url.search = pairs.map((pair) => pair.join('=')).join('&')
  const body = operation.body && writtenBody(operation.body, args)
  const headers = headersFor(operation, args, shown)
  if (body?.contentType !== undefined) headers.set('content-type', body.contentType)
  return { method: operation.method, url, headers, ...(body && { body }) }
}

function given(operation: Operation, place: Parameter['in'], args: Args): [Parameter, unknown][] {
  return operation.parameters
    .filter((parameter) => parameter.in === place && Object.hasOwn(args, parameter.argument))
    .map((parameter): [Parameter, unknown] => [parameter, args[parameter.argument]])
    .filter(([, value]) => value !== undefined && value !== null)
}

function pathFor(operation: Operation, args: Args): string {
  const values = new Map(
    given(operation, 'path', args).map(([parameter, value]) => [parameter.name, { parameter, value }]),
  )
  const path = operation.path.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    const found = values.get(name)
    const text = found ? inPath(found.parameter, found.value) : ''
    if (!text) throw new CallFailed('bad_arguments', `${name}: is part of the path and must not be empty`)
    return text
  })
  // Addresses are tidied up by whoever reads them: `..` would lead to another operation.
  const dots = path.split('/').find((part) => /^(?:\.|%2e){1,2}$/i.test(part))
  if (dots === undefined) return path
  throw new CallFailed(
    'bad_arguments',
    `The path would be ${path.slice(0, 200)}, which leads elsewhere: ${dots} is no value`,
  )
}

function headersFor(operation: Operation, args: Args, shown: Credentials): Headers {
  const headers = new Headers({
    accept: 'application/json, text/*;q=0.9, */*;q=0.8',
    'user-agent': 'signalbox',
  })
  for (const [parameter, value] of given(operation, 'header', args)) {
    put(headers, parameter.name, inHeader(parameter, value), parameter.argument)
  }
  const cookies = given(operation, 'cookie', args).flatMap(([parameter, value]) => inQuery(parameter, value))
  cookies.push(...shown.cookies.map(([name, value]): [string, string] => [name, encoded(value)]))
  // Last, so that no argument stands in their place.
  for (const [name, value] of shown.headers) put(headers, name, value, `headers.${name}`)
  const all = [headers.get('cookie'), ...cookies.map((pair) => pair.join('='))].filter((one) => one)
  if (all.length > 0) headers.set('cookie', all.join('; '))
  return headers
}

function put(headers: Headers, name: string, value: string, argument: string): void {
  try {
    headers.set(name, value)
  } catch {
    throw new CallFailed('bad_arguments', `${argument}: is nothing that a header can say`)
  }
}
