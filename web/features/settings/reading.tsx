import { settingsStrings as words } from '../../strings/settings.ts'
import { strings } from '../../strings/page.ts'
import { Button } from '../../ui/button.tsx'

/** What is shown where something is not read yet, or could not be. */
export function Reading({ error, again }: { error: Error | null; again: () => unknown }) {
  if (!error) return <output className="animate-appear-late block py-2 text-mute">{strings.loading}</output>
  return (
    <div role="alert" className="flex flex-wrap items-center gap-3 py-2">
      <span className="wrap-anywhere">
        {words.failed}: {error.message}
      </span>
      <Button onClick={() => void again()}>{strings.retry}</Button>
    </div>
  )
}
