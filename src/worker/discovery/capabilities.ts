import { setImmediate as breathe } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { CreateCapability } from '#contract/capability.ts'
import type { ProgramSchema } from '#contract/discovery.ts'
import type { CapabilitiesOf } from '#discovery/port.ts'
import { understandMany } from '#domain/args-schema.ts'
import type { Understand } from '#domain/args-schema.ts'
import { annotationsOf, checkCapability } from '#domain/capability.ts'
import { Problem } from '#domain/problem.ts'

interface Program {
  name: string
  path: string
  danger: number
}

/** What a program can be asked for, each of which can really be asked for; at least that it is run. */
export type CheckedCapabilities = (
  program: Program,
  schema: ProgramSchema | null,
) => Promise<CreateCapability[]>

export function openCapabilities(
  load: () => Promise<CapabilitiesOf>,
  log: Pick<Logger, 'warn'>,
): CheckedCapabilities {
  return async ({ name, path, danger }, schema) => {
    const capabilitiesOf = await load()
    const fitting: CreateCapability[] = []
    const understand = understandMany()
    for (const capability of capabilitiesOf(name, schema, danger)) {
      const why = misfitOf(capability, understand)
      if (why === undefined) fitting.push(capability)
      else log.warn({ program: path, capability: capability.key, why }, 'a command cannot be a capability')
      await breathe() // to check one takes milliseconds, and a program may have hundreds
    }
    return fitting.length > 0 ? fitting : capabilitiesOf(name, null, danger)
  }
}

function misfitOf(capability: CreateCapability, understand: Understand): string | undefined {
  try {
    const annotations = annotationsOf(capability.dangerLevel, capability.annotations)
    checkCapability({ ...capability, annotations }, understand)
    return undefined
  } catch (error) {
    if (error instanceof Problem) return error.message
    throw error
  }
}
