import type { Complaint } from './project.ts'

// What the checker and its thread say to each other.

export interface ToChecker {
  id: number
  tools: string
  code: string
}

export type FromChecker =
  /** The native process that does the work: whoever waits too long ends it. */
  | { type: 'process'; pid: number }
  | { type: 'checked'; id: number; complaints: Complaint[] }
  | { type: 'failed'; id: number; message: string }
