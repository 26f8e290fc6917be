import { expect, it } from 'vitest'
import { contentOf } from './prompt.ts'

const file = (mediaType: string, url: string) => ({ text: '', files: [{ url, mediaType, name: 'f' }] })

it('hands over pictures and documents as such, text as text, and a path of the workspace as a path', () => {
  expect(contentOf(file('image/png', 'data:image/png;base64,AAAA'))).toEqual({
    content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }],
  })
  expect(contentOf(file('application/pdf', 'data:application/pdf;base64,AAAA'))).toMatchObject({
    content: [{ type: 'document' }],
  })
  expect(contentOf(file('text/plain', 'data:text/plain,a%20b'))).toEqual({
    content: [{ type: 'text', text: 'Attached file f:\na b' }],
  })
  expect(contentOf(file('image/png', 'shots/a.png'))).toEqual({
    content: [{ type: 'text', text: 'Attached file: shots/a.png' }],
  })
})

it('refuses what Claude cannot read, and a message of nothing', () => {
  expect(contentOf(file('image/tiff', 'data:image/tiff;base64,AAAA'))).toEqual({
    refused: 'Claude Code cannot read f of type image/tiff.',
  })
  expect(contentOf({ text: '', files: [] })).toEqual({ refused: 'The message is empty.' })
})
