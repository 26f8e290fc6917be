import { approvalStrings } from '../../strings/approval.ts'
import type { SourceThatAsks } from './source-that-asks.ts'

/** Who asks, in our words, and what they say, which looks like somebody else's. */
export function SourceAsks({ name, doing, message }: SourceThatAsks) {
  return (
    <div className="px-3 pt-2">
      <p className="font-medium wrap-anywhere">{approvalStrings.sourceAsks(name, doing)}</p>
      {message && (
        <blockquote
          dir="auto"
          data-their-words
          className="mt-1.5 max-h-80 overflow-auto border-s-2 border-edge ps-2.5 text-soft wrap-anywhere whitespace-pre-wrap"
        >
          {message}
        </blockquote>
      )}
    </div>
  )
}
