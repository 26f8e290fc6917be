import type { Preset } from '../../../src/contract/preset.ts'

/** Whether it could begin now, as far as that can be told. */
export const isReady = ({ installed, tooOld, trouble, login }: Preset): boolean =>
  installed && !tooOld && trouble === null && login.state !== 'no'

/** A real agent that is surely logged in, else one that may be, else the demo. */
export function usualChoice(presets: readonly Preset[]): Preset | undefined {
  const real = presets.filter((preset) => preset.key !== 'demo' && isReady(preset))
  return (
    real.find(({ login }) => login.state === 'yes') ?? real[0] ?? presets.find(({ key }) => key === 'demo')
  )
}
