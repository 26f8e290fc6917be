export interface Size {
  cols: number
  rows: number
}

/** What one viewer looks at, and types into. */
export interface Source {
  /** Answers false when no more should come until `drained` was called. */
  write(bytes: Buffer): boolean
  resize(size: Size): void
  /** Draws all of it again. */
  repaint(): void
  /** While it is paused nothing is told, and little is kept: what is drawn from stays as it is, or goes on without this viewer. */
  pause(): void
  resume(): void
  /** Twice is once. Nothing is told afterwards. */
  close(): void
}

/** Who is told what a source shows. */
export interface Reader {
  take(bytes: Buffer): void
  drained(): void
  /** So many bytes of what was written did not get to the program, which does not read. */
  refused(bytes: number): void
  /** There is nothing more to come. */
  ended(): void
}
