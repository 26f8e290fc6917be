import { expect, it } from 'vitest'
import { frameCutter } from './sse-frame.ts'

const stream = ': hello\n\nevent: ready\ndata: {"seq":4}\n\nid: 5\ndata: {"a":\ndata: "x: y"}\n\n: beat\n\n'
const frames = [
  { id: undefined, event: 'ready', data: '{"seq":4}' },
  { id: '5', event: 'message', data: '{"a":\n"x: y"}' },
]

it('cuts a stream into frames', () => {
  expect(frameCutter()(stream)).toEqual(frames)
})

it.each([stream, stream.replaceAll('\n', '\r\n')])('does so wherever the pieces end', (text) => {
  for (let at = 1; at < text.length; at += 1) {
    const cut = frameCutter()
    expect([...cut(text.slice(0, at)), ...cut(text.slice(at))]).toEqual(frames)
  }
})
