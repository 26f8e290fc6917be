import { ImagePlus, X } from 'lucide-react'
import { useRef } from 'react'
import { chatStrings } from '../../strings/chat.ts'
import { IconButton } from '../../ui/button.tsx'
import { pictureTypes } from './attachments.ts'
import type { Attachments } from './attachments.ts'

/** The pictures that will go with a message, each with the way to leave it out. */
export function Attached({ attachments: { files, problem, remove } }: { attachments: Attachments }) {
  if (files.length === 0 && !problem) return null
  return (
    <div className="flex flex-wrap items-center gap-2 px-3 pt-2">
      {files.map((file) => (
        <span key={file.url} data-attached={file.name} className="relative">
          <img
            src={file.url}
            alt={chatStrings.attached(file.name ?? '')}
            className="h-16 max-w-40 rounded-control border border-line object-cover"
          />
          <IconButton
            label={chatStrings.unattach(file.name ?? '')}
            className="absolute -end-2 -top-2 size-5! rounded-full! border border-edge bg-panel"
            onClick={() => remove(file)}
          >
            <X size={12} aria-hidden />
          </IconButton>
        </span>
      ))}
      {problem && (
        <p role="alert" className="wrap-anywhere text-stop">
          {problem}
        </p>
      )}
    </div>
  )
}

/** Chooses pictures among the files of this machine. */
export function AttachButton({ attachments }: { attachments: Attachments }) {
  const chooser = useRef<HTMLInputElement>(null)
  return (
    <>
      <IconButton label={chatStrings.attach} onClick={() => chooser.current?.click()}>
        <ImagePlus size={16} aria-hidden />
      </IconButton>
      <input
        ref={chooser}
        type="file"
        multiple
        hidden
        accept={pictureTypes.join(',')}
        aria-label={chatStrings.attach}
        onChange={({ target }) => {
          attachments.add([...(target.files ?? [])])
          target.value = ''
        }}
      />
    </>
  )
}
