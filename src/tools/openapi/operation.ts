import type { OfferedTool } from '../port.ts'

export type Place = 'path' | 'query' | 'header' | 'cookie'
export type Style =
  | 'simple'
  | 'label'
  | 'matrix'
  | 'form'
  | 'spaceDelimited'
  | 'pipeDelimited'
  | 'deepObject'
  /** Not a style of OpenAPI: the value as JSON. */
  | 'json'

export interface Written {
  name: string
  style: Style
  explode: boolean
  /** Characters with a meaning in addresses stay as they are. */
  allowReserved?: boolean
}
export interface Parameter extends Written {
  /** Under this name it is among the arguments. */
  argument: string
  in: Place
}

export type BodyKind = 'json' | 'form' | 'multipart' | 'text' | 'bytes'
export interface Body {
  kind: BodyKind
  contentType: string
  /** `body` is one argument; or these arguments are its properties. */
  arguments: 'body' | readonly string[]
  fields: ReadonlyMap<string, Field>
}
/** How one property of a form is sent. */
export interface Field {
  isFile: boolean
  contentType?: string
  written?: Written
}

export type SecurityScheme =
  | { kind: 'key'; in: 'header' | 'query' | 'cookie'; name: string }
  | { kind: 'bearer' }
  | { kind: 'basic' }
  | { kind: 'unknown'; called: string }

/** One thing that can be called, and how. */
export interface Operation {
  method: string
  path: string
  /** Without a slash at its end. */
  base: string
  parameters: readonly Parameter[]
  body?: Body
  /** One of these lists has to be satisfied whole; `undefined`: the document says nothing about it. */
  security: readonly (readonly SecurityScheme[])[] | undefined
  offered: OfferedTool
}
