import type { IncomingMessage } from 'node:http'

const ownNames = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Whether we are called by a name of loopback, and not by a page of somebody else that a browser has open. */
export function isCalledHere({ headers }: IncomingMessage): boolean {
  if (!ownNames.has(nameOf(`http://${headers.host}`))) return false
  return headers.origin === undefined || ownNames.has(nameOf(headers.origin))
}

function nameOf(url: string): string {
  return URL.parse(url)?.hostname ?? ''
}
