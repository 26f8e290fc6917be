import { PgBoss } from 'pg-boss'
import type { Logger } from 'pino'
import type { Database, Tx } from './pool.ts'

/** Which limit an execution counts against. */
export type Queue = 'tool' | 'coding' | 'chat'

const queues = ['tool', 'coding', 'chat'] as const satisfies Queue[]
const deadLetters = 'executions.not-started'
const nameOf = (machineId: string, queue: Queue) => `executions.${machineId}.${queue}`

/** Who is handed what, when it is: `handedTo` reads it. */
export const HANDED_OVER_CHANNEL = 'handed_over'

/** Which execution this machine was handed, by what was notified; nothing when another one was. */
export function handedTo(
  machineId: string,
  notified: string,
): { queue: Queue; executionId: string; sessionId: string } | undefined {
  const [machine, name, executionId, sessionId] = notified.split(' ')
  const queue = queues.find((one) => one === name)
  return machine === machineId && queue && executionId !== undefined && sessionId !== undefined
    ? { queue, executionId, sessionId }
    : undefined
}

/** A start that failed while nothing ran yet is tried again twice, 30 s apart. */
const retries = 2
const retrySeconds = 30

/** An execution that waits for its machine. The job's id is the execution's. */
export interface HandedOver {
  executionId: string
  /** Where it is known: of what was heard of, and not asked for. */
  sessionId?: string
  isLastAttempt: boolean
}

/** What is to be known of an execution that is handed over. */
export interface Waiting {
  id: string
  sessionId: string
  machineId: string
  queue: Queue
  priority: number
}

/** The queue between whoever asks for an execution and the machine that runs it. It carries ids; the rows are the truth. */
export interface HandOver {
  /** The machine hears of it when the transaction commits. */
  send(tx: Tx, execution: Waiting): Promise<void>
  /** Makes the machine's queues. */
  open(machineId: string): Promise<void>
  take(machineId: string, queue: Queue, most: number): Promise<HandedOver[]>
  /** The keeper has it, or it is no longer wanted. */
  settle(machineId: string, queue: Queue, executionId: string, tx?: Tx): Promise<void>
  /** It comes back after 30 s, or is laid aside when it was the last attempt. */
  giveBack(machineId: string, queue: Queue, executionId: string, reason: string): Promise<void>
  /** How its hand-over stands. `waits`: somebody will still be handed it. Gone or given up, there is no attempt left. */
  look(machineId: string, queue: Queue, executionId: string): Promise<HandedOver & { waits: boolean }>
  /** Runs `work` by the clock, on one machine of all of them. Needs `keepsTime`. */
  schedule(name: string, cron: string, work: () => Promise<unknown>): Promise<void>
  close(): Promise<void>
}

interface HandOverOptions {
  log: Pick<Logger, 'warn'>
  /** Whether this process looks after the queues: jobs that expired, what happens by the clock. */
  keepsTime?: boolean
  /** How long a start that failed waits. */
  retryAfterSeconds?: number
}

const within = (handle: Database | Tx) => ({
  executeSql: (text: string, values: unknown[] = []) => handle.$client.query({ text, values }),
})

export async function openHandOver(
  db: Database,
  { log, keepsTime = false, retryAfterSeconds = retrySeconds }: HandOverOptions,
): Promise<HandOver> {
  const boss = new PgBoss({
    db: within(db),
    migrate: false,
    createSchema: false,
    supervise: keepsTime,
    schedule: keepsTime,
    superviseIntervalSeconds: 10,
    monitorIntervalSeconds: 10,
  })
  boss.on('error', (error) => log.warn({ err: error }, 'the queue could not be looked after'))
  await boss.start()
  return {
    async send(tx, { id, sessionId, machineId, queue, priority }) {
      await Promise.all([
        boss.send(nameOf(machineId, queue), { executionId: id }, { id, priority, db: within(tx) }),
        tx.$client.query({
          name: 'hand_over',
          text: `select pg_notify('${HANDED_OVER_CHANNEL}', $1)`,
          values: [`${machineId} ${queue} ${id} ${sessionId}`],
        }),
      ])
    },
    async open(machineId) {
      await boss.createQueue(deadLetters)
      for (const queue of queues)
        await boss.createQueue(nameOf(machineId, queue), {
          retryLimit: retries,
          retryDelay: retryAfterSeconds,
          deadLetter: deadLetters,
          expireInSeconds: 60,
        })
    },
    async take(machineId, queue, most) {
      const jobs = await boss.fetch(nameOf(machineId, queue), { batchSize: most, includeMetadata: true })
      return jobs.map(({ id, retryCount, retryLimit }) => ({
        executionId: id,
        isLastAttempt: retryCount >= retryLimit,
      }))
    },
    async settle(machineId, queue, executionId, tx) {
      await boss.deleteJob(nameOf(machineId, queue), executionId, tx ? { db: within(tx) } : {})
    },
    async giveBack(machineId, queue, executionId, reason) {
      await boss.fail(nameOf(machineId, queue), executionId, { reason })
    },
    async look(machineId, queue, executionId) {
      const [job] = await boss.findJobs(nameOf(machineId, queue), { id: executionId })
      const waits = job?.state === 'created' || job?.state === 'retry'
      const isLastAttempt = !job || job.state === 'failed' || job.retryCount >= job.retryLimit
      return { executionId, isLastAttempt, waits }
    },
    async schedule(name, cron, work) {
      await boss.createQueue(name)
      await boss.schedule(name, cron)
      await boss.work(name, { pollingIntervalSeconds: 30 }, work)
    },
    close: () => boss.stop({ graceful: true, timeout: 2_000 }),
  }
}
