import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const css = readFileSync(new URL('styles.css', import.meta.url), 'utf8')
const tokens = [...css.matchAll(/--([a-z]+): light-dark\((#[\da-f]{6}), (#[\da-f]{6})\)/g)].map(
  ([, name = '', light = '', dark = '']) => ({ name, light, dark }),
)

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

const colour = (name: string, theme: 'light' | 'dark') => {
  const token = tokens.find((each) => each.name === name)
  if (!token) throw new Error(`No token ${name}`)
  return token[theme]
}

const grounds = ['ground', 'panel', 'raise']
const pairs = (fronts: string[]) =>
  fronts.flatMap((front) => grounds.map((ground) => [front, ground] as const))

describe.each(['light', 'dark'] as const)('in the %s theme', (theme) => {
  const readable = [
    'text',
    'soft',
    'mute',
    'goword',
    'waitword',
    'queue',
    'stop',
    'caution',
    'red',
    'green',
    'yellow',
    'blue',
    'magenta',
    'cyan',
  ]
  it.each(pairs(readable))('%s can be read on %s (WCAG AA, 4.5)', (front, ground) => {
    expect(contrast(colour(front, theme), colour(ground, theme))).toBeGreaterThanOrEqual(4.5)
  })

  it.each(pairs(['go', 'wait', 'control']))('%s can be told from %s (WCAG AA, 3)', (front, ground) => {
    expect(contrast(colour(front, theme), colour(ground, theme))).toBeGreaterThanOrEqual(3)
  })
})
