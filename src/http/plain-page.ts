import { createHash } from 'node:crypto'

const style =
  'body{font:16px/1.5 system-ui;max-width:40em;margin:15vh auto;padding:0 1em;color-scheme:light dark}'

/** For the Content-Security-Policy: this style, and no other. */
export const plainStyle = `'sha256-${createHash('sha256').update(style).digest('base64')}'`

/** A page of words. Whatever the words are, they stay words. */
export function plainPage(title: string, lines: readonly string[]): string {
  return [
    '<!doctype html><html lang="en"><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    `<title>${escaped(title)}</title><style>${style}</style><h1>${escaped(title)}</h1>`,
    ...lines.map((line) => `<p>${escaped(line)}</p>`),
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
