import { Search } from 'lucide-react'
import { filesStrings as words } from '../../strings/files.ts'

export interface Wish {
  text: string
  by: 'name' | 'content'
}

const look =
  'rounded-small px-2 py-0.5 text-small text-soft hover:text-text aria-pressed:bg-raise aria-pressed:text-text max-sm:py-1.5'

/** What is looked for, and where. */
export function SearchField({ wish, onChange }: { wish: Wish; onChange: (wish: Wish) => void }) {
  return (
    <search className="flex h-10 shrink-0 items-center gap-2 border-b border-line ps-4 pe-3">
      <Search size={14} aria-hidden className="shrink-0 text-mute" />
      <input
        type="search"
        value={wish.text}
        maxLength={500}
        aria-label={words.search}
        placeholder={wish.by === 'name' ? words.searchHint : words.contentHint}
        className="h-full min-w-0 grow bg-transparent outline-none max-sm:text-[16px]"
        onChange={(event) => onChange({ ...wish, text: event.target.value })}
      />
      <fieldset aria-label={words.how} className="flex shrink-0 rounded-control border border-line p-0.5">
        {(['name', 'content'] as const).map((by) => (
          <button
            key={by}
            type="button"
            aria-pressed={wish.by === by}
            className={look}
            onClick={() => onChange({ ...wish, by })}
          >
            {by === 'name' ? words.byName : words.byContent}
          </button>
        ))}
      </fieldset>
    </search>
  )
}
