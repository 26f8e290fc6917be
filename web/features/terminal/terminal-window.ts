import type { TerminalSaid, TerminalToken } from '../../../src/contract/terminal.ts'
import type { Store } from '../../store.ts'
import { terminalStrings as words } from '../../strings/terminal.ts'
import { countDrawn } from './count-drawn.ts'
import { openLink } from './link.ts'
import type { Link, LinkOptions, LinkState } from './link.ts'
import { openOutgoing } from './outgoing.ts'
import type { Outgoing } from './outgoing.ts'
import type { Screen, Size } from './screen.ts'

/** Everything that is told around the screen. */
export interface Shown {
  link: LinkState
  readOnly: boolean
  takenOver: boolean
  viewers: number
  /** Of the window, as all who look at it have it. */
  size: Size | null
  /** What there is room for here. */
  room: Size | null
  /** Characters of a paste that have not been sent yet. */
  waiting: number
  /** Where the newest attempt went. */
  address: string | null
  /** The page may not go there: it was loaded before anybody knew of it. */
  isOutdated: boolean
}

export const nothingYet: Shown = {
  link: { name: 'opening' },
  readOnly: true,
  takenOver: false,
  viewers: 0,
  size: null,
  room: null,
  waiting: 0,
  address: null,
  isOutdated: false,
}

interface Needs {
  screen: Screen
  shown: Store<Shown>
  ask: () => Promise<TerminalToken>
  refusalIn: LinkOptions['refusalIn']
  /** Somebody wants to look, and no more. */
  isReadOnlyAsked: () => boolean
  /** What was pasted does not get to the program, and the rest of it is not sent. */
  onRefused: () => void
  /** Changes what is typed on its way: a key that is held, for example. */
  typed: (text: string) => string
}

export interface TerminalWindow {
  outgoing: Outgoing
  again: () => void
  /** The place may have another size. */
  fit: () => void
  close: () => void
}

const resizeMs = 80
const startOver = '\u001bc'
const hideCursor = '\u001b[?25l'

/** Brings a screen and a window of the machine together: what is shown, what is typed, how large it is. */
export function openTerminalWindow(needs: Needs): TerminalWindow {
  const { screen, shown, ask, refusalIn, isReadOnlyAsked, onRefused, typed } = needs
  const { terminal } = screen
  const change = (part: Partial<Shown>) => shown.set((now) => ({ ...now, ...part }))
  const drawn = countDrawn((bytes) => link.tell({ type: 'ack', bytes }))
  let resizing: ReturnType<typeof setTimeout> | undefined
  let saidSize = ''
  /** Where nobody types because nobody can, lines follow each other: every viewer has them as wide as there is room. */
  let isText = false

  const link: Link = openLink({
    ask: async () => {
      const token = await ask()
      change({ address: token.url })
      return token
    },
    refusalIn,
    onState: (state) => {
      if (state.name !== 'live') passOn(false)
      if (state.name !== 'live') outgoing.drop()
      change({ link: state })
    },
    onReady: ({ readOnly, takenOver, viewers, cols, rows }) => {
      // Written, not done at once: whatever is still to be drawn comes before it.
      terminal.write(startOver)
      passOn(!readOnly)
      isText = readOnly && !isReadOnlyAsked()
      take({ cols, rows })
      change({ readOnly, takenOver, viewers })
    },
    onViewers: ({ viewers, cols, rows }) => {
      take({ cols, rows })
      change({ viewers })
    },
    onRefused: () => {
      outgoing.drop()
      onRefused()
    },
    onBytes: (bytes) => terminal.write(bytes, drawn.expect(bytes.length)),
    firstWords: () => {
      drawn.startOver()
      saidSize = ''
      return wordsOfSize()
    },
  })
  const outgoing = openOutgoing({
    send: link.send,
    buffered: link.buffered,
    onWaiting: (waiting) => change({ waiting }),
  })

  /** Where nothing is passed on, no cursor says that it would be. */
  function passOn(isPassedOn: boolean): void {
    terminal.options.disableStdin = !isPassedOn
    if (!isPassedOn) terminal.write(hideCursor)
  }

  function take(told: Size): void {
    const size = (isText && screen.room()) || told
    if (terminal.cols !== size.cols || terminal.rows !== size.rows) terminal.resize(size.cols, size.rows)
    change({ size })
  }

  function wordsOfSize(): TerminalSaid[] {
    const room = screen.room()
    if (!room) return []
    change({ room })
    if (isText) take(room)
    const mark = `${room.cols} ${room.rows}`
    if (mark === saidSize) return []
    saidSize = mark
    return [{ type: 'resize', ...room }]
  }

  const stopWatching = whenForbidden(() => {
    link.close()
    change({ link: { name: 'ended', reason: words.outdated, canReturn: false }, isOutdated: true })
  })
  const listening = [
    terminal.onData((text) => outgoing.put(typed(text))),
    terminal.onBinary((text) => outgoing.put(text, 'binary')),
  ]
  return {
    outgoing,
    again: link.again,
    fit: () => {
      clearTimeout(resizing)
      resizing = setTimeout(() => {
        for (const said of wordsOfSize()) link.tell(said)
      }, resizeMs)
    },
    close: () => {
      clearTimeout(resizing)
      stopWatching()
      for (const one of listening) one.dispose()
      outgoing.drop()
      link.close()
    },
  }
}

/** The content security policy of a page names the terminals that were there when it was loaded. */
function whenForbidden(act: () => void): () => void {
  const look = ({ effectiveDirective, blockedURI }: SecurityPolicyViolationEvent) =>
    effectiveDirective === 'connect-src' && /^wss?:/.test(blockedURI) && act()
  document.addEventListener('securitypolicyviolation', look)
  return () => document.removeEventListener('securitypolicyviolation', look)
}
