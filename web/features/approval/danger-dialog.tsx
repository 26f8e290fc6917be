import { useId, useState } from 'react'
import type { ReactNode } from 'react'
import { dangerStrings as words } from '../../strings/danger.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { DangerMark } from '../discovery/danger-mark.tsx'
import { fieldLook } from './field-look.ts'
import { visibleText } from './visible-text.ts'

interface Props {
  /** 2 or 3: below that nobody is asked. */
  level: number
  /** What is written to begin something destructive. */
  name: string
  /** What is going to happen, with every value in its place. */
  children: ReactNode
  onGo: () => void
  /** Leaves the yes to somebody else, where that can be. */
  onAsk?: () => void
  onClose: () => void
}

export const isDangerous = (level: number): boolean => level >= 2

/** Asks before something dangerous begins. What is destructive wants a deliberate act: its name, written out. */
export function DangerDialog({ level, name, children, onGo, onAsk, onClose }: Props) {
  const [written, setWritten] = useState('')
  const id = useId()
  const degree = level >= 3 ? 3 : 2
  const isSure = degree === 2 || written.trim() === name
  const leave = (act: () => void) => () => {
    onClose()
    act()
  }
  return (
    <Dialog title={words.title[degree]} onClose={onClose} className="w-130">
      <form
        data-danger-dialog={level}
        className="flex min-h-0 flex-col"
        onSubmit={(event) => {
          event.preventDefault()
          // It lies in another window, and React tells the form around that one too.
          event.stopPropagation()
          if (isSure) leave(onGo)()
        }}
      >
        {degree === 3 && (
          <p role="alert" className="bg-stop px-4 py-2 font-[550] text-panel">
            {words.banner}
          </p>
        )}
        <div className="flex min-h-0 flex-col gap-3 overflow-y-auto px-4 py-3">
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <DangerMark level={level} />
            <span className="text-soft">{words.text[degree]}</span>
          </p>
          <div>
            <p className="mb-1 text-small text-mute">{words.happens}</p>
            {children}
          </div>
          {degree === 3 && (
            <div className="flex flex-col gap-1">
              <label htmlFor={id} className="wrap-anywhere">
                {words.type(visibleText(name))}
              </label>
              <input
                id={id}
                dir="ltr"
                autoComplete="off"
                className={`${fieldLook} font-mono`}
                value={written}
                onChange={(event) => setWritten(event.target.value)}
              />
            </div>
          )}
        </div>
        <div className="flex flex-wrap items-center gap-2 border-t border-line px-4 py-3">
          {onAsk && (
            <Button title={words.askHint} onClick={leave(onAsk)}>
              {words.ask}
            </Button>
          )}
          <Button className="ms-auto" onClick={onClose}>
            {words.cancel}
          </Button>
          <Button look="danger" type="submit" disabled={!isSure}>
            {words.go}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** A text that is read before a yes: all of it can be seen. */
export const DangerText = ({ children }: { children: string }) => (
  <pre
    dir="auto"
    className="max-h-60 overflow-auto rounded-control border border-line bg-ground p-2 font-mono text-small wrap-anywhere whitespace-pre-wrap"
  >
    {visibleText(children)}
  </pre>
)
