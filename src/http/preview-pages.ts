import { stripVTControlCharacters } from 'node:util'
import type { ServerResponse } from 'node:http'

/** A page of ours in place of the app's. */
export interface PreviewPage {
  status: number
  title: string
  /** What happened, why, what to do. */
  lines: readonly string[]
  /** The app's own last words. */
  said?: string | undefined
  /** Look again by itself: it will be there soon. */
  again?: boolean
  headers?: Record<string, string>
}

const lastWords = 4_000
const style =
  'body{font:16px/1.5 system-ui;max-width:40em;margin:15vh auto;padding:0 1em;color-scheme:light dark}pre{overflow:auto;font-size:13px}'

/** It stands at the app's address, and so asks for nothing and runs nothing. */
export function sendPage(response: ServerResponse, page: PreviewPage): void {
  if (response.headersSent) return void response.destroy()
  const body = render(page)
  response.writeHead(page.status, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    // What is left of a body that nobody reads would be taken for the next request.
    connection: 'close',
    ...page.headers,
  })
  response.end(body)
}

function render({ title, lines, said, again }: PreviewPage): string {
  const words = stripVTControlCharacters(said ?? '').slice(-lastWords)
  return [
    '<!doctype html><html lang="en"><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    again ? '<meta http-equiv="refresh" content="1">' : '',
    `<title>${escaped(title)}</title><style>${style}</style><h1>${escaped(title)}</h1>`,
    ...lines.map((line) => `<p>${escaped(line)}</p>`),
    words.trim() === '' ? '' : `<h2>What it said last</h2><pre>${escaped(words)}</pre>`,
    '</html>\n',
  ].join('')
}

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => escapes[character] ?? '')

export const notOpened: PreviewPage = {
  status: 401,
  title: 'This preview is not open here',
  lines: [
    'It is for people who have opened it from Signalbox, in this browser, within the last twelve hours.',
    'Go to Signalbox, find the workspace among the workspaces, and choose Preview.',
  ],
}

export const notShown: PreviewPage = {
  status: 404,
  title: 'This port is not shown',
  lines: [
    'The workspace does not have it among its ports any more. Add it there, and open the preview again.',
  ],
}

export const notUnderstood: PreviewPage = {
  status: 400,
  title: 'This request cannot be passed on',
  lines: ['Its address is not one that an app can be asked for.'],
}

export const notFromHere: PreviewPage = {
  status: 403,
  title: 'This page may not connect here',
  lines: ['Only pages of the app itself may open sockets to it.'],
}
