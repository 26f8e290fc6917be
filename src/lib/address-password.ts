// Not by URL.parse: it knows neither an empty host (`postgres://me:secret@/box?host=/run/x`) nor a list of hosts.
const places = [/:\/\/[^/?#:@\r\n]*:([^/?#\r\n]+)@/g, /[?&]password=([^&#\r\n]+)/g]

/** The passwords of the addresses in a text, as they are written and as they are meant. */
export function passwordsIn(text: string): string[] {
  const written = places.flatMap((place) =>
    [...text.matchAll(place)].flatMap(([, password]) => password ?? []),
  )
  return [...new Set(written.flatMap((password) => [password, decoded(password)]))]
}

function decoded(password: string): string {
  try {
    return decodeURIComponent(password)
  } catch {
    return password // a plain % that nobody encoded
  }
}
