import { useState } from 'react'
import { toolStrings as words } from '../../strings/tool.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SourceForm } from './source-form.tsx'
import { SourceSnippet } from './source-snippet.tsx'

/** Adds sources: one by a form, or those of another program's configuration. */
export function NewSource({ onClose }: { onClose: () => void }) {
  const [snippet, setSnippet] = useState<string | null>(null)
  return (
    <Dialog title={words.newOne} onClose={onClose} className="w-150">
      <fieldset aria-label={words.wayLabel} className="flex gap-1 px-4 pb-3">
        <Button
          look={snippet === null ? 'plain' : 'quiet'}
          aria-pressed={snippet === null}
          onClick={() => setSnippet(null)}
        >
          {words.byForm}
        </Button>
        <Button
          look={snippet === null ? 'quiet' : 'plain'}
          aria-pressed={snippet !== null}
          onClick={() => setSnippet((now) => now ?? '')}
        >
          {words.bySnippet}
        </Button>
      </fieldset>
      {snippet === null ? (
        <SourceForm onClose={onClose} onSnippet={setSnippet} />
      ) : (
        <SourceSnippet written={snippet} onChange={setSnippet} onClose={onClose} />
      )}
    </Dialog>
  )
}
