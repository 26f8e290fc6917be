import { expect, it } from 'vitest'
import { formatDuration, formatSize, parseDuration, parseSize } from './units.ts'

it.each([
  ['250ms', 250],
  ['30s', 30_000],
  ['5m', 300_000],
  ['24h', 86_400_000],
  ['7d', 604_800_000],
  ['1.5s', 1500],
  [' 30 s ', 30_000],
  ['5000', 5000],
  [5000, 5000],
  [0, 0],
  ['', undefined],
  ['s', undefined],
  ['-5s', undefined],
  [-5, undefined],
  ['30 seconds', undefined],
  ['1e3', undefined],
  ['999999999999999999d', undefined],
  [Number.NaN, undefined],
  [Number.POSITIVE_INFINITY, undefined],
  [true, undefined],
  [null, undefined],
  ['5constructor', undefined],
])('reads %j as %j milliseconds', (written, read) => expect(parseDuration(written)).toBe(read))

it.each([
  ['128MB', 134_217_728],
  ['128mb', 134_217_728],
  ['128MiB', 134_217_728],
  ['128M', 134_217_728],
  ['5GB', 5_368_709_120],
  ['64KB', 65_536],
  ['1.5KB', 1536],
  ['512B', 512],
  ['1048576', 1_048_576],
  [1_048_576, 1_048_576],
  ['5XB', undefined],
  ['GB', undefined],
  ['5s', undefined],
  ['99999999TB', undefined],
])('reads %j as %j bytes', (written, read) => expect(parseSize(written)).toBe(read))

it('writes the shortest exact form', () => {
  expect([0, 1500, 30_000, 86_400_000, 172_800_000].map(formatDuration)).toEqual([
    '0',
    '1500ms',
    '30s',
    '1d',
    '2d',
  ])
  expect([100, 1024, 134_217_728, 5_368_709_120].map(formatSize)).toEqual(['100B', '1KB', '128MB', '5GB'])
})
