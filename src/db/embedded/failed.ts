/** The embedded Postgres cannot serve. The message is for the person who started Signalbox, and says what to do. */
export class EmbeddedPostgresFailed extends Error {
  constructor(what: string, ownWords = '') {
    super(ownWords === '' ? what : `${what}\n${ownWords.replace(/^/gm, '  ')}`)
    this.name = 'EmbeddedPostgresFailed'
  }
}

export const wayOut = 'Or set DATABASE_URL to a Postgres of your own.'
