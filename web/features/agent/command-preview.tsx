import { Copy } from 'lucide-react'
import { discoveryStrings } from '../../strings/discovery.ts'
import { IconButton } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import { visibleText } from '../approval/visible-text.ts'
import { quoted } from './command-line.ts'
import type { Word } from './command-line.ts'

const words = discoveryStrings.run

/** The command line as it stands. Always as high, however long it is: what is below stays where it is. */
export function CommandPreview({ line }: { line: readonly Word[] }) {
  const text = line.map(({ text, isMissing }) => (isMissing ? text : quoted(text))).join(' ')
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    toast(words.copied)
  }
  return (
    <figure className="flex items-start gap-1 rounded-control border border-line bg-ground ps-2 pe-1">
      <figcaption className="sr-only">{words.preview}</figcaption>
      <pre
        dir="ltr"
        data-preview
        className="h-12 min-w-0 grow overflow-y-auto py-1.5 font-mono text-small leading-[18px] wrap-anywhere whitespace-pre-wrap"
      >
        <span className="text-mute select-none">$ </span>
        {placed(line).map(({ text, isMissing, key }) => (
          <span key={key} className={isMissing ? 'text-mute italic' : ''}>
            {key > 0 && ' '}
            {visibleText(isMissing ? text : quoted(text))}
          </span>
        ))}
      </pre>
      <IconButton label={words.copy} className="mt-0.5" onClick={() => void copy().catch(() => undefined)}>
        <Copy size={13} aria-hidden />
      </IconButton>
    </figure>
  )
}

const placed = (line: readonly Word[]) => line.map((word, key) => ({ ...word, key }))
