import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useEffect, useState } from 'react'
import type { Folder } from '../../../src/contract/workspace.ts'
import { roomApi } from '../../room-api.ts'
import { strings } from '../../strings/page.ts'
import { welcomeStrings as words } from '../../strings/welcome.ts'
import { Button } from '../../ui/button.tsx'
import { Choice, choicesLook } from './step.tsx'

interface Props {
  machineId: string | undefined
  /** A folder that may be used; null while there is none. */
  value: string | null
  onChoose: (path: string | null) => void
}

const other = 'other'

/** A folder that the machine allows, and whether git is there. A repository is offered first: its files stay as they are. */
export function FolderChoice({ machineId, value, onChoose }: Props) {
  const { data, error, refetch } = useQuery({
    queryKey: ['folders', machineId ?? ''],
    queryFn: ({ signal }) => roomApi.folders({ ...(machineId && { machineId }) }, signal),
    enabled: machineId !== undefined,
  })
  const [isOther, setOther] = useState(false)
  const first = data?.find(({ isRepository }) => isRepository) ?? data?.[0]
  useEffect(() => {
    if (value === null && !isOther && first) onChoose(first.path)
  }, [value, isOther, first, onChoose])
  if (!data && error)
    return (
      <p role="alert" className="flex flex-wrap items-center gap-3">
        {words.noFolders}: {error.message}
        <Button onClick={() => void refetch()}>{strings.retry}</Button>
      </p>
    )
  if (!data)
    return (
      <output className="block text-mute" style={{ minBlockSize: 100 }}>
        {words.readingFolders}
      </output>
    )
  return (
    <>
      <div role="radiogroup" aria-label={words.where} className={`${choicesLook} max-h-80 overflow-y-auto!`}>
        {data.map((folder) => (
          <Choice
            key={folder.path}
            name="folder"
            value={folder.path}
            isChosen={!isOther && value === folder.path}
            onChoose={(path) => {
              setOther(false)
              onChoose(path)
            }}
          >
            <FolderFacts folder={folder} />
          </Choice>
        ))}
        <Choice
          name="folder"
          value={other}
          isChosen={isOther}
          onChoose={() => {
            setOther(true)
            onChoose(null)
          }}
        >
          {words.otherFolder}
          {isOther && <OtherFolder machineId={machineId} onChoose={onChoose} />}
        </Choice>
      </div>
      <p className="text-small text-mute">{words.whereText}</p>
    </>
  )
}

function FolderFacts({ folder: { path, name, isRepository } }: { folder: Folder }) {
  return (
    <>
      <span className="flex flex-wrap items-baseline gap-x-2.5">
        <bdi className="font-medium">{name}</bdi>
        <bdi dir="ltr" className="min-w-0 truncate font-mono text-tiny text-mute">
          {path}
        </bdi>
      </span>
      <span className="block text-small text-soft">
        {isRepository ? words.repository : words.noRepository}
      </span>
    </>
  )
}

/** Typed, and looked at by the machine: only it knows what is there, and what it allows. */
function OtherFolder({ machineId, onChoose }: Pick<Props, 'machineId' | 'onChoose'>) {
  const [text, setText] = useState('')
  const path = useDeferredValue(text.trim())
  const { data, error, isFetching } = useQuery({
    queryKey: ['folders', machineId ?? '', path],
    queryFn: ({ signal }) => roomApi.folders({ ...(machineId && { machineId }), path }, signal),
    enabled: path.startsWith('/'),
    retry: false,
  })
  const found = data?.[0]
  useEffect(() => onChoose(found?.path ?? null), [found?.path, onChoose])
  return (
    <span className="block pt-1.5">
      <input
        ref={(field) => field?.focus()}
        dir="ltr"
        value={text}
        maxLength={4096}
        aria-label={words.otherFolder}
        placeholder={words.otherHint}
        className="h-8 w-full rounded-control border border-control bg-ground px-2 font-mono text-small max-sm:h-10 max-sm:text-[16px]"
        onChange={(event) => setText(event.target.value)}
      />
      <output className="block min-h-4 pt-1 text-small wrap-anywhere text-soft">
        {isFetching && words.checking}
        {!isFetching && error && <span className="text-stop">{error.message}</span>}
        {!isFetching && found && (found.isRepository ? words.repository : words.noRepository)}
      </output>
    </span>
  )
}
