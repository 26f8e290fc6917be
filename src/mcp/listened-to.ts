import { z } from 'zod'

const Listen = z.object({
  method: z.literal('subscriptions/listen'),
  params: z.object({ notifications: z.object({ resourceSubscriptions: z.array(z.string()).max(500) }) }),
})

/** The resources that a client of the newer protocol wants to hear of, as long as it listens. */
export function listenedTo(body: unknown): string[] {
  return Listen.safeParse(body).data?.params.notifications.resourceSubscriptions ?? []
}
