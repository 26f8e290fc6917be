import { z } from 'zod'

export const ErrorAnswer = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    context: z.record(z.string(), z.unknown()).optional(),
    requestId: z.string(),
  }),
})
export type ErrorAnswer = z.infer<typeof ErrorAnswer>

export const Meta = z.object({ total: z.int(), page: z.int(), pageSize: z.int() })
export type Meta = z.infer<typeof Meta>

export const one = <Shape extends z.ZodType>(shape: Shape) => z.object({ data: shape })
export const many = <Shape extends z.ZodType>(shape: Shape) => z.object({ data: z.array(shape), meta: Meta })

export const Paging = z.strictObject({
  page: z.coerce.number().int('must be a whole number').min(1).max(1_000_000).default(1),
  pageSize: z.coerce.number().int('must be a whole number').min(1).max(500).default(50),
})
