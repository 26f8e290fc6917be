import { Copy } from 'lucide-react'
import { settingsStrings as words } from '../strings/settings.ts'
import { Button } from './button.tsx'
import { toast } from './toast.tsx'

export function CopyButton({ text }: { text: string }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      toast(words.copied)
    } catch {
      toast(words.notCopied, { isProblem: true })
    }
  }
  return (
    <Button onClick={() => void copy()}>
      <Copy size={14} aria-hidden /> {words.copy}
    </Button>
  )
}
