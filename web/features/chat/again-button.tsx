import { RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { chatStrings } from '../../strings/chat.ts'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import { useChatHands } from './chat-hands.ts'

/** Another answer in the place of the newest one. */
export function AgainButton({ executionId, hasFailed }: { executionId: string | null; hasFailed: boolean }) {
  const { regenerate, newest } = useChatHands()
  const [isAsking, setAsking] = useState(false)
  if (!regenerate || executionId === null || executionId !== newest) return null
  const ask = async () => {
    setAsking(true)
    try {
      await regenerate(executionId)
    } catch (error) {
      toast(chatStrings.notAgain(error instanceof Error ? error.message : String(error)), { isProblem: true })
    }
    setAsking(false)
  }
  return (
    <Button look="quiet" data-again disabled={isAsking} onClick={() => void ask()}>
      <RotateCcw size={13} aria-hidden />
      {hasFailed ? chatStrings.tryAgain : chatStrings.regenerate}
    </Button>
  )
}
