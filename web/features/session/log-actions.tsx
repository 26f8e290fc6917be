import { Copy, Download } from 'lucide-react'
import { roomApi } from '../../room-api.ts'
import { executionStrings } from '../../strings/execution.ts'
import { IconButton } from '../../ui/button.tsx'
import { saveAs } from '../../ui/save-as.ts'
import { toast } from '../../ui/toast.tsx'
import type { Log } from './use-log.ts'

/** How much there is of a log, and the ways to take it along. */
export function LogActions({ executionId, log }: { executionId: string; log: Log }) {
  const words = executionStrings
  const amount = log.text.dropped() + log.text.lines().length
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(log.text.plainText())
      toast(words.copied)
    } catch {
      toast(words.notCopied, { isProblem: true })
    }
  }
  const download = async () => {
    try {
      saveAs(await roomApi.log(executionId), `execution-${executionId}.log`)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      toast(words.notDownloaded(reason), { isProblem: true })
    }
  }
  return (
    <div className="ms-auto flex items-center gap-1">
      <span className="me-1.5 text-small whitespace-nowrap text-mute tabular-nums" aria-live="off">
        {log.state === 'lost'
          ? words.logLost
          : amount > 0 && <span className="max-sm:sr-only">{words.lines(amount)}</span>}
      </span>
      <IconButton label={words.copyLog} onClick={() => void copy()}>
        <Copy size={14} aria-hidden />
      </IconButton>
      <IconButton label={words.downloadLog} onClick={() => void download()}>
        <Download size={14} aria-hidden />
      </IconButton>
    </div>
  )
}
