import type { z } from 'zod'
import { ErrorAnswer, many, one } from '#contract/answer.ts'

// How answers and bodies stand in the OpenAPI document.

const json = <Shape extends z.ZodType>(schema: Shape) => ({ 'application/json': { schema } })

const refusals = {
  400: { description: 'Broken JSON', content: json(ErrorAnswer) },
  401: { description: 'No valid token', content: json(ErrorAnswer) },
  403: { description: 'Not allowed', content: json(ErrorAnswer) },
  404: { description: 'Unknown, or not yours', content: json(ErrorAnswer) },
  409: { description: 'Not possible in the present state', content: json(ErrorAnswer) },
  413: { description: 'Too large', content: json(ErrorAnswer) },
  422: { description: 'Does not fit', content: json(ErrorAnswer) },
  429: { description: 'Too many', content: json(ErrorAnswer) },
  503: { description: 'Something it needs is away', content: json(ErrorAnswer) },
} as const

export const answersOne = <Shape extends z.ZodType>(shape: Shape, description: string) =>
  ({ 200: { description, content: json(one(shape)) }, ...refusals }) as const

/** The same from inside a workspace, where more can go wrong. */
export const answersTool = <Shape extends z.ZodType>(shape: Shape, description: string) =>
  ({
    ...answersOne(shape, description),
    408: { description: 'It took too long, and was given up', content: json(ErrorAnswer) },
    502: { description: 'The workspace failed, or answered nonsense', content: json(ErrorAnswer) },
  }) as const

export const answersCreated = <Shape extends z.ZodType>(shape: Shape, description: string) =>
  ({ 201: { description, content: json(one(shape)) }, ...refusals }) as const

export const answersAccepted = <Shape extends z.ZodType>(shape: Shape, description: string) =>
  ({ 202: { description, content: json(one(shape)) }, ...refusals }) as const

export const answersMany = <Shape extends z.ZodType>(shape: Shape, description: string) =>
  ({ 200: { description, content: json(many(shape)) }, ...refusals }) as const

export const answersNothing = (description: string) => ({ 204: { description }, ...refusals }) as const

export const answersStream = (description: string) =>
  ({ 200: { description, content: { 'text/event-stream': {} } }, ...refusals }) as const

// Any string to the types, which would otherwise want the whole text at once.
const plainText: string = 'text/plain'

export const answersText = (description: string) =>
  ({ 200: { description, content: { [plainText]: {} } }, ...refusals }) as const

export const answersBytes = (type: string, description: string) =>
  ({ 200: { description, content: { [type]: {} } }, ...refusals }) as const

/** A JSON body that must be there: without `required` a missing content type would skip the check. */
export const body = <Shape extends z.ZodType>(shape: Shape) => ({
  body: { required: true, content: json(shape) },
})
