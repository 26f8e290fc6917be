import { useState } from 'react'
import { toolStrings as words } from '../../strings/tool.ts'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import { fieldLook } from '../approval/field-look.ts'
import { visibleText } from '../approval/visible-text.ts'
import { readSnippet } from './config-snippet.ts'
import type { FoundServer } from './config-snippet.ts'
import { readSourcesAgain } from './read-sources-again.ts'
import { toolApi } from './tool-api.ts'

interface Props {
  written: string
  onChange: (written: string) => void
  onClose: () => void
}

/** Adds the servers of a piece of configuration, as other programs have it. */
export function SourceSnippet({ written, onChange, onClose }: Props) {
  const [isAdding, setAdding] = useState(false)
  const [left, setLeft] = useState<string[]>([])
  const [refused, setRefused] = useState<Record<string, string>>({})
  const read = readSnippet(written)
  const servers = 'servers' in read ? read.servers : []
  const wanted = servers.filter(({ name }) => !left.includes(name))

  const add = async () => {
    setAdding(true)
    const wrong: Record<string, string> = {}
    const added: string[] = []
    for (const { name, config } of wanted) {
      try {
        await toolApi.addSource({ name, config })
        added.push(name)
      } catch (error) {
        wrong[name] = error instanceof Error ? error.message : String(error)
      }
    }
    if (added.length > 0) toast(words.added(added.join(', ')))
    await readSourcesAgain()
    if (Object.keys(wrong).length === 0) return onClose()
    setRefused(wrong)
    setLeft((now) => [...now, ...added])
    setAdding(false)
  }
  return (
    <form
      className="flex min-h-0 flex-col"
      onSubmit={(event) => {
        event.preventDefault()
        if (wanted.length > 0 && !isAdding) void add()
      }}
    >
      <div className="flex min-h-0 flex-col gap-3 overflow-y-auto px-4 pb-3">
        <label className="flex flex-col gap-1">
          <span className="text-small text-soft">{words.snippet}</span>
          <textarea
            dir="ltr"
            rows={8}
            spellCheck={false}
            className={`${fieldLook} max-h-[40dvh] resize-y font-mono text-small`}
            value={written}
            placeholder={words.snippetHint}
            onChange={(event) => onChange(event.target.value)}
          />
        </label>
        {'fault' in read && written.trim() !== '' && (
          <p className="text-stop">{words.snippetFault[read.fault]}</p>
        )}
        {servers.length > 0 && (
          <fieldset>
            <legend className="mb-1 text-small text-soft">{words.snippetFound}</legend>
            {servers.map((server) => (
              <Found
                key={server.name}
                server={server}
                isWanted={wanted.includes(server)}
                problem={refused[server.name]}
                onChange={(isWanted) =>
                  setLeft((now) =>
                    isWanted ? now.filter((name) => name !== server.name) : [...now, server.name],
                  )
                }
              />
            ))}
          </fieldset>
        )}
        {'leftOut' in read &&
          read.leftOut.map(({ name, why }) => (
            <p key={name} className="text-small text-mute">
              <bdi>{name}</bdi>: {words.snippetFault[why]}
            </p>
          ))}
      </div>
      <div className="flex justify-end border-t border-line px-4 py-3">
        <Button look="main" type="submit" disabled={wanted.length === 0 || isAdding}>
          {isAdding ? words.adding : words.addMany(wanted.length)}
        </Button>
      </div>
    </form>
  )
}

interface FoundProps {
  server: FoundServer
  isWanted: boolean
  problem: string | undefined
  onChange: (isWanted: boolean) => void
}

function Found({ server: { name, config, place }, isWanted, problem, onChange }: FoundProps) {
  return (
    <label data-found-server={name} className="flex items-start gap-2 border-b border-line py-1.5">
      <input
        type="checkbox"
        className="mt-0.5 size-4 accent-(--text)"
        checked={isWanted}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span className="min-w-0">
        <bdi className="font-medium">{name}</bdi>
        <span className="ms-2 text-small text-mute">{words.transport[config.transport]}</span>
        <bdi dir="ltr" className="block truncate font-mono text-tiny text-mute">
          {visibleText(place)}
        </bdi>
        {problem && (
          <span role="alert" className="block text-small wrap-anywhere text-stop">
            {problem}
          </span>
        )}
      </span>
    </label>
  )
}
