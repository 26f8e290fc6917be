import type { Queue } from '#db/hand-over.ts'
import type { Driving } from './drive.ts'

interface Held {
  queue: Queue
  /** Once it has begun. */
  driving?: Driving
}

const toolsAtOnce = 16
/** They wait for models, mostly. Those that wait for people do not count. */
const usualChatsAtOnce = 100
/** Whatever they wait for: what was said in each of them is in memory. */
const mostChats = 10_000

/** What this worker is at, and how much more it may begin. What goes on after a person's answer is never held up. */
export function openPlaces(codingAtOnce: () => number, chatsAtOnce = usualChatsAtOnce) {
  /** From the moment it is claimed. */
  const held = new Map<string, Held>()

  const limit = () => ({ coding: codingAtOnce(), tool: toolsAtOnce, chat: chatsAtOnce })
  const of = (queues: readonly Queue[]) => [...held.values()].filter(({ queue }) => queues.includes(queue))
  /** Those that do something. */
  const live = (queue: Queue) => of([queue]).filter(({ driving }) => !driving?.isWaiting?.()).length

  function free(queue: Queue): number {
    const room = limit()[queue] - live(queue)
    return queue === 'chat' ? Math.min(room, mostChats - of([queue]).length) : room
  }

  return {
    held,
    limit,
    live,
    free,
    /** Why none of this queue can begin, for whoever waits for it. */
    whyFull: (queue: Queue): string | undefined => {
      const most = limit()[queue]
      if (live(queue) >= most)
        return `Waits for its turn: ${live(queue)} are under way on this machine, ${most} can be at once`
      if (free(queue) <= 0)
        return `Waits for its turn: ${mostChats} on this machine wait for people. Answer what they ask, or end some of them`
      return undefined
    },
    drivings: (queues: readonly Queue[] = ['coding', 'tool', 'chat']): Driving[] =>
      of(queues).flatMap(({ driving }) => driving ?? []),
  }
}
