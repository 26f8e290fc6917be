import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import type { AuditFilter } from '../../../src/contract/audit.ts'
import type { SettingsSearch } from '../../routes.tsx'
import { auditStrings as words } from '../../strings/audit.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { AuditFilters } from './audit-filters.tsx'
import { AuditRow } from './audit-row.tsx'
import { Reading } from './reading.tsx'
import { settingsApi } from './settings-api.ts'
import { useNames } from './use-names.ts'

const pageSize = 50

/** What was done, page by page; the address holds what is looked for. */
export default function AuditSection() {
  const search = useSearch({ from: '/settings' })
  const navigate = useNavigate({ from: '/settings' })
  const page = Number(search.page ?? 1)
  const filter = filterOf(search)
  const { data, error, refetch } = useQuery({
    queryKey: ['audit', filter, page],
    queryFn: ({ signal }) => settingsApi.audit({ ...filter, page, pageSize }, signal),
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchInterval: page === 1 ? 10_000 : false,
  })
  const nameOf = useNames()
  const go = (change: Partial<SettingsSearch>) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, ...change }), replace: true })
  const isFiltered = Object.values(filter).some(Boolean)
  const pages = Math.max(1, Math.ceil((data?.meta.total ?? 0) / pageSize))
  return (
    <>
      <AuditFilters filter={filter} total={data?.meta.total} onChange={go} />
      {!data && <Reading error={error} again={refetch} />}
      {data?.meta.total === 0 && (
        <div className="flex max-w-160 flex-col items-start gap-3 border-t border-line py-3">
          <p className="text-soft">{isFiltered ? words.nothingFits : words.empty}</p>
          {isFiltered && (
            <Button onClick={() => go({ q: undefined, kind: undefined, outcome: undefined })}>
              {words.clear}
            </Button>
          )}
        </div>
      )}
      {data && data.data.length > 0 && (
        <ul className="border-t border-line">
          {data.data.map((entry) => (
            <AuditRow key={entry.id} entry={entry} nameOf={nameOf} />
          ))}
        </ul>
      )}
      {pages > 1 && (
        <div className="flex items-center justify-end gap-1 pt-3 text-small text-mute tabular-nums">
          <IconButton
            label={words.newer}
            disabled={page <= 1}
            onClick={() => go({ page: page === 2 ? undefined : String(page - 1) })}
          >
            <ChevronLeft size={16} className="rtl:rotate-180" aria-hidden />
          </IconButton>
          {words.page(page, pages)}
          <IconButton
            label={words.older}
            disabled={page >= pages}
            onClick={() => go({ page: String(page + 1) })}
          >
            <ChevronRight size={16} className="rtl:rotate-180" aria-hidden />
          </IconButton>
        </div>
      )}
    </>
  )
}

/** What the address says, as far as it means anything. */
function filterOf({ q, kind, outcome }: SettingsSearch): AuditFilter {
  const isKind = kind !== undefined && kind !== 'all' && kind in words.kind
  const isOutcome = outcome !== undefined && outcome !== 'all' && outcome in words.outcome
  return {
    ...(q && { q }),
    ...(isKind && { kind: kind as NonNullable<AuditFilter['kind']> }),
    ...(isOutcome && { outcome: outcome as NonNullable<AuditFilter['outcome']> }),
  }
}
