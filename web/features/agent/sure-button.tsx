import { useState } from 'react'
import { Button } from '../../ui/button.tsx'

/** Asks once more before it does it; whoever looks elsewhere has changed their mind. */
export function SureButton({ ask, sure, onSure }: { ask: string; sure: string; onSure: () => void }) {
  const [isSure, setSure] = useState(false)
  return isSure ? (
    <Button ref={takeFocus} look="danger" onBlur={() => setSure(false)} onClick={onSure}>
      {sure}
    </Button>
  ) : (
    <Button look="quiet" onClick={() => setSure(true)}>
      {ask}
    </Button>
  )
}

/** It stands where the one was that was pressed. */
const takeFocus = (button: HTMLButtonElement | null) => button?.focus()
