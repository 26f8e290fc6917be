import { X } from 'lucide-react'
import { Component } from 'react'
import type { ReactNode } from 'react'
import { Outdated } from '../part-files.ts'
import { strings } from '../strings/page.ts'
import { Button, IconButton } from './button.tsx'

const wordsFor = (error: unknown) =>
  error instanceof Outdated
    ? { heading: strings.broken.outdated, text: strings.broken.outdatedText, detail: null }
    : {
        heading: strings.broken.heading,
        text: strings.broken.text,
        detail: error instanceof Error ? error.message : String(error),
      }

/** What is left to do when something broke: say what, and load the page again. */
export function Broken({ error }: { error: unknown }) {
  const { heading, text, detail } = wordsFor(error)
  return (
    <div role="alert" className="flex flex-col items-start gap-2">
      <h2 className="text-large font-semibold">{heading}</h2>
      <p className="text-soft">{text}</p>
      {detail && <code className="font-mono text-small wrap-anywhere text-mute">{detail}</code>}
      <Button look="main" className="mt-2" onClick={() => location.reload()}>
        {strings.broken.reload}
      </Button>
    </div>
  )
}

/** In place of a room. */
export function BrokenPage({ error }: { error: unknown }) {
  return (
    <div className="flex h-full grow items-center justify-center overflow-y-auto p-6">
      <div className="w-105 max-w-full">
        <Broken error={error} />
      </div>
    </div>
  )
}

interface State {
  error: unknown
  isShown: boolean
}

const focusIt = (panel: HTMLElement | null) => panel?.focus()

/** Keeps what breaks inside from taking everything around it along. */
export class Boundary extends Component<{ children: ReactNode }, State> {
  override state: State = { error: null, isShown: false }

  static getDerivedStateFromError(error: unknown): State {
    return { error, isShown: true }
  }

  override render() {
    const { error, isShown } = this.state
    if (error === null) return this.props.children
    if (!isShown) return null
    return (
      <div
        ref={focusIt}
        tabIndex={-1}
        data-broken
        className="fixed inset-x-0 top-[12dvh] z-60 mx-auto flex w-105 max-w-[calc(100vw-24px)] items-start gap-2 rounded-panel border border-edge bg-panel py-4 ps-4 pe-2.5 shadow-float outline-none"
      >
        <Broken error={error} />
        <IconButton
          label={strings.close}
          className="ms-auto"
          onClick={() => this.setState({ isShown: false })}
        >
          <X size={16} aria-hidden />
        </IconButton>
      </div>
    )
  }
}
