import { ChevronDown } from 'lucide-react'
import { discoveryStrings as words } from '../../strings/discovery.ts'
import { Button } from '../../ui/button.tsx'
import { Choices } from '../../ui/menu.tsx'
import { fieldLook } from '../approval/field-look.ts'
import { classes, views } from './found-filter.ts'
import type { FoundFilter } from './found-filter.ts'

interface Props {
  filter: FoundFilter
  onChange: (filter: FoundFilter) => void
}

export function FoundFilters({ filter, onChange }: Props) {
  const classNames = { any: words.anyClass, ...words.classes }
  return (
    <div className="flex flex-wrap items-center gap-2 pt-2">
      <input
        type="search"
        dir="auto"
        className={`${fieldLook} max-w-90`}
        value={filter.sought}
        maxLength={200}
        aria-label={words.search}
        placeholder={words.search}
        onChange={(event) => onChange({ ...filter, sought: event.target.value })}
      />
      <Choices
        label={words.ofClass}
        value={filter.class}
        choices={(['any', ...classes] as const).map((value) => ({ value, label: classNames[value] }))}
        onChoose={(kind) => onChange({ ...filter, class: kind })}
      >
        <Button look={filter.class === 'any' ? 'quiet' : 'plain'}>
          {classNames[filter.class]}
          <ChevronDown size={14} className="text-mute" aria-hidden />
        </Button>
      </Choices>
      <Choices
        label={words.view}
        value={filter.view}
        choices={views.map((value) => ({ value, label: words.views[value] }))}
        onChoose={(view) => onChange({ ...filter, view })}
      >
        <Button look={filter.view === 'all' ? 'quiet' : 'plain'}>
          {words.views[filter.view]}
          <ChevronDown size={14} className="text-mute" aria-hidden />
        </Button>
      </Choices>
    </div>
  )
}
