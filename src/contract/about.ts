import { z } from 'zod'
import { Id, Time } from './text.ts'

/** What this Signalbox is, and where it keeps what it has. */
export const About = z.object({
  version: z.string(),
  node: z.string(),
  machineId: Id,
  home: z.string(),
  configFile: z.string().nullable(),
  logs: z.string(),
  publicUrl: z.string().nullable(),
  allowedWorkingDirs: z.array(z.string()),
  database: z.object({
    /** It came with Signalbox and lies in its home, or it is one of your own. */
    kind: z.enum(['embedded', 'outside']),
    version: z.string(),
    name: z.string(),
    bytes: z.int(),
    since: Time,
    migration: z.string(),
  }),
})
export type About = z.infer<typeof About>
