import type { NativeTools } from '#tools/port.ts'
import type { MachineCode } from './machine-code.ts'

export interface RunCodeNeeds {
  code: () => Promise<MachineCode>
}

/** Code that calls tools, as one tool: what would be many calls is one. */
export function codeTools(_needs: RunCodeNeeds): NativeTools {
  return { name: 'code', description: 'Runs code that calls the other tools', tools: [] }
}
