import { workspaceStrings as words } from '../../strings/workspace.ts'
import { Field, Pick } from '../../ui/field.tsx'
import { Place } from './form-fields.tsx'
import type { FormFields } from './form-fields.tsx'
import { sources } from './workspace-body.ts'
import { useArchives } from './workspace-machines.ts'

/** Where the files of a new workspace come from. */
export function SourceFields(field: FormFields) {
  const { written, write } = field
  const archives = useArchives().data ?? []
  return (
    <>
      <Field label={words.source}>
        <Pick
          value={written.source}
          choices={sources}
          nameOf={(one) => words.sources[one]}
          onChoose={(source) => write({ source })}
        />
      </Field>
      {written.source === 'git' && (
        <div className="flex flex-wrap gap-3">
          <div className="min-w-50 grow">
            <Place {...field} name="git" label={words.repository} hint={words.repositoryHint} />
          </div>
          <div className="w-40 max-sm:w-full">
            <Place {...field} name="ref" label={words.ref} hint="main" />
          </div>
        </div>
      )}
      {written.source === 'path' && (
        <Place {...field} name="path" label={words.copied} hint={words.folderHint} />
      )}
      {written.source === 'archive' && (
        <>
          {archives.length > 0 && (
            <Field label={words.keptArchive}>
              <Pick
                value={written.archive}
                choices={archives.map(({ name }) => name)}
                nameOf={(one) => one || words.chooseArchive}
                onChoose={(archive) => write({ archive })}
              />
            </Field>
          )}
          <Place {...field} name="archive" label={words.archiveFile} hint={words.archiveFileHint} />
        </>
      )}
    </>
  )
}
