import { closeSync, openSync } from 'node:fs'

interface Signals {
  /** Aborted by the first Ctrl-C or SIGTERM. */
  readonly stop: AbortSignal
  /** Aborted by the second. */
  readonly hurry: AbortSignal
  close(): void
}

/** npm passes on the Ctrl-C that the terminal has already sent us; a person's second one comes later than this. */
const sameKeypressMs = 500

export function watchSignals(onHangup: () => void): Signals {
  const stop = new AbortController()
  const hurry = new AbortController()
  const hadTerminal = hasTerminal()
  let asked = 0
  const onStop = () => {
    if (!stop.signal.aborted) {
      asked = Date.now()
      stop.abort()
    } else if (Date.now() - asked > sameKeypressMs) hurry.abort()
  }
  // SIGHUP asks to read the settings again, but it also comes when the terminal is closed under us.
  const onHup = () => (hadTerminal && !hasTerminal() ? onStop() : onHangup())
  process.on('SIGINT', onStop)
  process.on('SIGTERM', onStop)
  process.on('SIGHUP', onHup)
  return {
    stop: stop.signal,
    hurry: hurry.signal,
    close() {
      process.off('SIGINT', onStop)
      process.off('SIGTERM', onStop)
      process.off('SIGHUP', onHup)
    },
  }
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}
