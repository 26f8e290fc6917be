import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { strings } from '../../strings/page.ts'
import { terminalStrings as words } from '../../strings/terminal.ts'
import { Button } from '../../ui/button.tsx'
import type { LinkState } from './link.ts'
import type { Shown } from './terminal-window.ts'

const figure = (amount: number) => amount.toLocaleString('en')
/** After so many attempts in a row it is more than a hiccup. */
const manyFailures = 3

interface Props {
  shown: Shown
  onAgain: () => void
  onStopPasting: () => void
}

/** What has to be known of a terminal that is not simply there. The screen keeps its size meanwhile, and can be read. */
export function TerminalNotice({ shown, onAgain, onStopPasting }: Props) {
  const { link, waiting, isOutdated } = shown
  if (link.name === 'lost')
    return (
      <Told mark="border-2 border-mute" state="lost">
        <span className="terminal-notice-text" title={whyLost(shown)}>
          {whyLost(shown)}
        </span>
        <Countdown until={link.retryAt} />
        <Button onClick={onAgain}>{words.retryNow}</Button>
      </Told>
    )
  if (link.name === 'ended')
    return (
      <Told mark={link.canReturn ? 'bg-mute' : 'bg-stop'} state="ended">
        <span className="terminal-notice-text" title={link.reason}>
          {link.reason}
        </span>
        {link.canReturn && <Button onClick={onAgain}>{words.openAgain}</Button>}
        {isOutdated && <Button onClick={() => location.reload()}>{strings.broken.reload}</Button>}
      </Told>
    )
  if (waiting > 0)
    return (
      <Told mark="bg-queue" state="pasting">
        <span className="terminal-notice-text tabular-nums">{words.pasting(figure(waiting))}</span>
        <Button onClick={onStopPasting}>{words.stopPasting}</Button>
      </Told>
    )
  return null
}

/** A socket that never opens is most likely one whose port is not open for this browser. */
function whyLost({ link, size, address }: Shown): string {
  const { reason, failures } = link as Extract<LinkState, { name: 'lost' }>
  if (reason) return words.lostBecause(reason)
  return failures > manyFailures && !size && address ? words.unreachable(hostOf(address)) : words.lost
}

const hostOf = (address: string) => (URL.canParse(address) ? new URL(address).host : address)

interface ToldProps {
  mark: string
  state: string
  children: ReactNode
}

function Told({ mark, state, children }: ToldProps) {
  return (
    <output data-told={state} className="terminal-notice">
      <span aria-hidden className={`size-2 shrink-0 rounded-[1.5px] ${mark}`} />
      {children}
    </output>
  )
}

function Countdown({ until }: { until: number }) {
  const left = () => Math.max(0, Math.round((until - Date.now()) / 1000))
  const [seconds, setSeconds] = useState(left)
  useEffect(() => {
    const timer = setInterval(() => setSeconds(left), 500)
    return () => clearInterval(timer)
  })
  return (
    <span className="shrink-0 text-mute tabular-nums" aria-live="off">
      {words.retryIn(seconds)}
    </span>
  )
}
