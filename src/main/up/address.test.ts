import { expect, it } from 'vitest'
import { browserAddress } from './address.ts'

it.each([
  ['http://127.0.0.1:4100', undefined, 'http://127.0.0.1:4100'],
  ['http://localhost:4100', undefined, 'http://localhost:4100'],
  ['http://[::1]:4100', undefined, 'http://[::1]:4100'],
  ['http://127.0.0.1:4100', 'https://box.example', 'http://127.0.0.1:4100'],
  ['http://0.0.0.0:4100', undefined, 'http://127.0.0.1:4100'],
  ['http://[::]:4100', undefined, 'http://[::1]:4100'],
  ['http://0.0.0.0:4100', 'https://box.example/', 'https://box.example'],
  ['http://192.168.1.7:4100', 'https://box.example/signals/', 'https://box.example/signals'],
])('%s with PUBLIC_URL %s is opened at %s', (listening, publicUrl, expected) => {
  expect(browserAddress(publicUrl === undefined ? {} : { publicUrl }, listening)).toBe(expected)
})
