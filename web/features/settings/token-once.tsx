import type { CreatedUser } from '../../../src/contract/access.ts'
import { userStrings as words } from '../../strings/user.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'

/** A token, the only time that it can be seen. */
export function TokenOnce({ made, onClose }: { made: CreatedUser; onClose: () => void }) {
  const link = `${location.origin}/#token=${made.token}`
  return (
    <Dialog title={words.tokenTitle(made.name)} onClose={onClose} className="w-140">
      <div className="flex min-h-0 flex-col gap-4 overflow-y-auto px-4 pb-4">
        <p className="text-soft">{words.tokenOnce}</p>
        <Secret label={words.token} text={made.token} />
        <Secret label={words.link} text={link} />
        <div className="flex justify-end">
          <Button look="main" onClick={onClose}>
            {words.done}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

function Secret({ label, text }: { label: string; text: string }) {
  return (
    <div className="flex flex-col gap-1">
      <span className="text-small text-soft">{label}</span>
      <div className="flex items-start gap-2">
        <code
          dir="ltr"
          data-token
          className="min-w-0 grow rounded-control border border-line bg-ground px-2 py-1 font-mono text-small break-all select-all"
        >
          {text}
        </code>
        <CopyButton text={text} />
      </div>
    </div>
  )
}
