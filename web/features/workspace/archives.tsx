import { Download } from 'lucide-react'
import { useState } from 'react'
import { Link } from '@tanstack/react-router'
import { strings } from '../../strings/page.ts'
import { workspaceStrings as words } from '../../strings/workspace.ts'
import { AskFirst } from '../../ui/ask-first.tsx'
import { Button, IconButton, buttonLook } from '../../ui/button.tsx'
import { bytes } from '../../ui/bytes.ts'
import { saveAs } from '../../ui/save-as.ts'
import { Section } from '../../ui/section.tsx'
import { ago, dateAndTime } from '../../ui/time.ts'
import { toast } from '../../ui/toast.tsx'
import { actOn } from './act.ts'
import { workspaceApi } from './workspace-api.ts'
import { useArchives } from './workspace-machines.ts'
import type { KeptArchive } from './workspace-machines.ts'

/** What was saved of workspaces, to begin others from. */
export function Archives({ onStart }: { onStart: (archive: string) => void }) {
  const { data, error, refetch } = useArchives()
  if (!data)
    return error ? (
      <p role="alert" className="flex items-center gap-3 py-2">
        {error.message}
        <Button onClick={refetch}>{strings.retry}</Button>
      </p>
    ) : (
      <output className="animate-appear-late py-2 text-mute">{strings.loading}</output>
    )
  return (
    <Section title={words.view.archives} hint={words.archivesHint}>
      {data.length === 0 && (
        <div className="flex flex-col items-start gap-3 py-3">
          <p className="max-w-160 text-soft">{words.archivesEmpty}</p>
          <Link to="/workspaces" search={{}} className={buttonLook()}>
            {words.view.here}
          </Link>
        </div>
      )}
      <ul>
        {data.map((archive) => (
          <ArchiveRow key={`${archive.machineId} ${archive.name}`} archive={archive} onStart={onStart} />
        ))}
      </ul>
    </Section>
  )
}

function ArchiveRow({ archive, onStart }: { archive: KeptArchive; onStart: (archive: string) => void }) {
  const { name, bytes: size, sha256, createdAt, machineId } = archive
  const [asks, setAsks] = useState(false)
  const download = () => actOn(name, async () => saveAs(await workspaceApi.download(name, machineId), name))
  return (
    <li
      data-archive={name}
      className="flex min-h-12 flex-wrap items-center gap-3 border-b border-line py-1.5"
    >
      <div className="min-w-0 grow basis-60">
        <bdi dir="ltr" className="block truncate font-mono text-small font-medium">
          {name}
        </bdi>
        <p className="truncate text-small text-mute tabular-nums" title={dateAndTime(createdAt)}>
          {bytes(size)} · {ago(createdAt)}
          <bdi dir="ltr" className="ms-2 font-mono text-tiny" title={sha256}>
            sha256 {sha256.slice(0, 12)}
          </bdi>
        </p>
      </div>
      <Button onClick={() => onStart(name)}>{words.startFrom}</Button>
      <IconButton label={words.downloadOne(name)} onClick={() => void download()}>
        <Download size={14} aria-hidden />
      </IconButton>
      <Button aria-label={words.removeArchive(name)} onClick={() => setAsks(true)}>
        {words.removeArchiveShort}
      </Button>
      {asks && (
        <AskFirst
          title={words.removeArchiveTitle}
          text={words.removeArchiveText(name)}
          act={words.deleteAct}
          onAct={() =>
            actOn(name, async () => {
              await workspaceApi.removeArchive(name, machineId)
              toast(words.archiveRemoved(name))
            })
          }
          onClose={() => setAsks(false)}
        />
      )}
    </li>
  )
}
