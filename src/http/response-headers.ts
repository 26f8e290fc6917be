const page = (sockets: readonly string[]) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    ["connect-src 'self'", ...sockets].join(' '),
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

// Data is never a page, whatever a browser is talked into: no script, no style, no frame, no origin.
const data = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"

const unusedPowers = [
  'camera',
  'display-capture',
  'geolocation',
  'hid',
  'microphone',
  'midi',
  'payment',
  'serial',
  'usb',
]

/**
 * What every answer tells the browser. `Cache-Control` is left to whoever has already said it. Pages may open sockets to
 * these addresses besides our own.
 */
export function tellBrowser(
  headers: Headers,
  path: string,
  publicUrl: string | undefined,
  sockets: readonly string[] = [],
): void {
  const isApi = isApiPath(path)
  headers.set('Content-Security-Policy', isApi && !isCallback(path) ? data : page(sockets))
  headers.set('X-Content-Type-Options', 'nosniff')
  headers.set('Referrer-Policy', 'no-referrer')
  headers.set('Cross-Origin-Opener-Policy', 'same-origin')
  headers.set('Cross-Origin-Resource-Policy', 'same-origin')
  headers.set('Permissions-Policy', unusedPowers.map((power) => `${power}=()`).join(', '))
  if (isApi && !headers.has('Cache-Control')) headers.set('Cache-Control', 'no-store')
  // A year of https for a name that does not serve it would lock its owner out.
  if (publicUrl?.startsWith('https:')) headers.set('Strict-Transport-Security', 'max-age=31536000')
}

export const isApiPath = (path: string): boolean => /^\/(?:api|mcp|socket\.io)(?:\/|$)/.test(path)

/** Where browsers come back to from an issuer, and are led on to the page: the one place under our data that links lead to. */
export const isCallback = (path: string): boolean => /^\/api(?:\/v1)?\/mcp\/callback$/.test(path)
