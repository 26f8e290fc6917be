import { FitAddon } from '@xterm/addon-fit'
import { SearchAddon } from '@xterm/addon-search'
import { WebLinksAddon } from '@xterm/addon-web-links'
import { Terminal } from '@xterm/xterm'
import fontFile from '@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2?url'
import xtermStyles from '@xterm/xterm/css/xterm.css?inline'
import { theme } from '../../theme.ts'
import { adoptStyles } from './adopted-style.ts'
import { terminalColours } from './colours.ts'
import { screenReader } from './preferences.ts'
import styles from './terminal.css?inline'

adoptStyles(xtermStyles + styles)

// The page's own face is optional: where it comes late it is left out, and a terminal is measured only once.
const face = new FontFace('Terminal Mono', `url(${fontFile})`, { weight: '100 800', display: 'block' })
document.fonts.add(face)
const font = "'Terminal Mono', 'JetBrains Mono', ui-monospace, monospace"
const fontSize = 13

export interface Size {
  cols: number
  rows: number
}

export interface Screen {
  terminal: Terminal
  search: SearchAddon
  /** How large it could be in its place; undefined while the place is not shown. */
  room: () => Size | undefined
  dispose: () => void
}

/** A screen of xterm.js in a place of the page, in our colours and font. */
export async function openScreen(place: HTMLElement, label: string): Promise<Screen> {
  // Measured with another font, every cell would be too wide or too narrow.
  await face.load().catch(() => undefined)
  const terminal = new Terminal({
    allowProposedApi: true, // the marks of a search are one
    fontFamily: font,
    fontSize,
    lineHeight: 1.2,
    scrollback: 5000,
    cursorBlink: !matchMedia('(prefers-reduced-motion: reduce)').matches,
    minimumContrastRatio: 4.5,
    screenReaderMode: screenReader.get(),
    theme: terminalColours(place),
    linkHandler: { activate: (_event, address) => follow(address), allowNonHttpProtocols: false },
    logLevel: 'off',
  })
  const fit = new FitAddon()
  const search = new SearchAddon({ highlightLimit: 500 })
  terminal.loadAddon(fit)
  terminal.loadAddon(search)
  terminal.loadAddon(new WebLinksAddon((_event, address) => follow(address)))
  terminal.open(place)
  terminal.textarea?.setAttribute('aria-label', label)
  void drawWithWebgl(terminal)
  const stop = followPreferences(terminal, place)
  return {
    terminal,
    search,
    room: () => {
      const size = place.isConnected ? fit.proposeDimensions() : undefined
      const isKnown = size && size.cols > 0 && size.rows > 0
      return isKnown ? { cols: Math.min(size.cols, 1000), rows: Math.min(size.rows, 1000) } : undefined
    },
    dispose: () => {
      stop()
      terminal.dispose()
    },
  }
}

/** What is on the screen was written by programs: an address in it gets a window that cannot reach back. */
function follow(address: string): void {
  if (/^https?:\/\//i.test(address)) window.open(address, '_blank', 'noopener,noreferrer')
}

const settleMs = 150

/** Where there is no WebGL, or it is taken away (the browser has only so much of it), the page itself draws. */
async function drawWithWebgl(terminal: Terminal): Promise<void> {
  try {
    const { WebglAddon } = await import('@xterm/addon-webgl')
    const webgl = new WebglAddon()
    webgl.onContextLoss(() => webgl.dispose())
    terminal.loadAddon(webgl)
    const look = () => void setTimeout(() => isTrueToScale(terminal) || webgl.dispose(), settleMs)
    terminal.onResize(look)
    look()
  } catch {
    // the renderer of elements is in place already
  }
}

/** A browser that plays another screen than it has tells WebGL of one and the page of the other: then a part would be drawn, too large or too small. */
function isTrueToScale({ element }: Terminal): boolean {
  const drawn = [...(element?.querySelectorAll('canvas') ?? [])].filter(({ clientWidth }) => clientWidth > 0)
  return drawn.every(
    ({ width, clientWidth }) => Math.abs(width / clientWidth - window.devicePixelRatio) < 0.05,
  )
}

function followPreferences(terminal: Terminal, place: HTMLElement): () => void {
  const dark = matchMedia('(prefers-color-scheme: dark)')
  const recolour = () => (terminal.options.theme = terminalColours(place))
  dark.addEventListener('change', recolour)
  const stops = [
    theme.subscribe(() => queueMicrotask(recolour)), // the page itself changes right after it was told
    screenReader.subscribe(() => (terminal.options.screenReaderMode = screenReader.get())),
  ]
  return () => {
    dark.removeEventListener('change', recolour)
    for (const stop of stops) stop()
  }
}
