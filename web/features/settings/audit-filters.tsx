import { ChevronDown, Download, Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { AuditExport, AuditFilter } from '../../../src/contract/audit.ts'
import type { SettingsSearch } from '../../routes.tsx'
import { auditStrings as words } from '../../strings/audit.ts'
import { Button } from '../../ui/button.tsx'
import { Choices, MenuContent, MenuItem, MenuRoot, MenuTrigger } from '../../ui/menu.tsx'
import { saveAs } from '../../ui/save-as.ts'
import { toast } from '../../ui/toast.tsx'
import { fieldLook } from '../approval/field-look.ts'
import { settingsApi } from './settings-api.ts'
import { told } from './told.ts'

interface Props {
  filter: AuditFilter
  total: number | undefined
  onChange: (change: Partial<SettingsSearch>) => void
}

const typingMs = 250

export function AuditFilters({ filter, total, onChange }: Props) {
  const q = filter.q ?? ''
  const [text, setText] = useState(q)
  /** What the address says because of this field; anything else comes from elsewhere, and is taken over. */
  const sent = useRef(q)
  useEffect(() => {
    if (q === sent.current) return
    sent.current = q
    setText(q)
  }, [q])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const type = (typed: string) => {
    setText(typed)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      sent.current = typed.trim()
      onChange({ q: typed.trim() || undefined })
    }, typingMs)
  }
  const save = (format: AuditExport['format']) =>
    told(async () => {
      saveAs(await settingsApi.exportAudit({ ...filter, format }), `signalbox-audit.${format}`)
      toast(words.exported(`signalbox-audit.${format}`))
    })
  return (
    <div className="flex flex-wrap items-center gap-2 pb-3">
      <div className="relative min-w-50 grow max-sm:basis-full">
        <Search size={14} className="absolute start-2 top-1/2 -translate-y-1/2 text-mute" aria-hidden />
        <input
          type="search"
          aria-label={words.search}
          placeholder={words.search}
          className={`${fieldLook} ps-7`}
          value={text}
          maxLength={200}
          onChange={(event) => type(event.target.value)}
        />
      </div>
      <Filter
        label={words.kindLabel}
        names={words.kind}
        value={filter.kind ?? 'all'}
        onChoose={(kind) => onChange({ kind })}
      />
      <Filter
        label={words.outcomeLabel}
        names={words.outcome}
        value={filter.outcome ?? 'all'}
        onChoose={(outcome) => onChange({ outcome })}
      />
      <span className="text-small text-mute tabular-nums">{total !== undefined && words.total(total)}</span>
      <MenuRoot>
        <MenuTrigger asChild>
          <Button>
            <Download size={14} aria-hidden /> {words.export}
          </Button>
        </MenuTrigger>
        <MenuContent align="end">
          <MenuItem onSelect={() => void save('ndjson')}>{words.ndjson}</MenuItem>
          <MenuItem onSelect={() => void save('csv')}>{words.csv}</MenuItem>
        </MenuContent>
      </MenuRoot>
    </div>
  )
}

interface FilterProps {
  label: string
  names: Record<string, string>
  value: string
  onChoose: (value: string | undefined) => void
}

function Filter({ label, names, value, onChoose }: FilterProps) {
  return (
    <Choices
      label={label}
      value={value}
      choices={Object.entries(names).map(([one, name]) => ({ value: one, label: name }))}
      onChoose={(one) => onChoose(one === 'all' ? undefined : one)}
    >
      <Button>
        {names[value]}
        <ChevronDown size={14} className="text-mute" aria-hidden />
      </Button>
    </Choices>
  )
}
