import { Execution } from '#contract/execution.ts'
import type { Connection } from './connection.ts'
import { findById } from './find-by-id.ts'

// A UUIDv7 begins with its time, so its end is what tells two of the same minute apart.
export const shortId = (id: string): string => id.slice(-12)

/** An execution by its id, or by as much of its beginning or end as no other has. */
export const findExecution = (connection: Connection, wanted: string): Promise<Execution> =>
  findById(connection, wanted, {
    path: '/executions',
    shape: Execution,
    noun: 'execution',
    howToFind: 'signalbox ls executions shows them',
  })
