/** The same server, another database. Not by `URL`, which does not take the empty host of a socket's address. */
export const withDatabase = (url: string, name: string): string => url.replace(/\/\w+\?/, `/${name}?`)
