import { inside } from '#contract/host.ts'

/** The demo agent on this machine. It is ours, and may run wherever Signalbox lies. */
export const demoProgram = new URL('../../bin/signalbox-demo', import.meta.url).pathname

/** The same inside walls, where it comes with the host. */
export const demoInside = `${inside.runtime}/demo-agent.mjs`

export const isDemo = (binaryPath: string): boolean => binaryPath === demoProgram
