import type { Discovery } from './port.ts'
import { whyNotRun } from './schema/from-help.ts'
import { cleanText } from './schema/help-text.ts'
import type { Walls } from './walls.ts'

const number = /(?<![\w.])v?(\d+(?:\.\d+){1,3}(?:[-+.~]?[\w.+~-]*\w)?)/

/** Those who do not know --version. */
const otherwise: Readonly<Record<string, string[]>> = {
  go: ['version'],
  helm: ['version', '--short'],
  kubectl: ['version', '--client'],
  openssl: ['version'],
  ssh: ['-V'],
  tmux: ['-V'],
  ffmpeg: ['-version'],
  ffprobe: ['-version'],
}

/** The version that a program tells. */
export const openVersion =
  (walls: Walls): Discovery['version'] =>
  async (program, signal) => {
    if (whyNotRun(program)) return undefined
    const argv = Object.hasOwn(otherwise, program.name) ? otherwise[program.name]! : ['--version']
    const said = await walls.run(program.path, argv, signal).catch(() => undefined)
    if (!said) return undefined
    // What it complains of may have numbers, too.
    const text = cleanText(said.exitCode === 0 ? `${said.stdout}\n${said.stderr}` : '')
    return versionIn(text)
  }

export function versionIn(text: string): string | undefined {
  const line = text.split('\n').find((one) => number.test(one))
  return number.exec(line ?? '')?.[1]?.slice(0, 60)
}
