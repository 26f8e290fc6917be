import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import type { ComponentType } from 'react'
import { part } from '../../part.tsx'
import { session } from '../../session.ts'
import { useStore } from '../../store.ts'
import { settingsStrings as words } from '../../strings/settings.ts'
import { Empty } from '../../ui/empty.tsx'
import { buttonLook } from '../../ui/button.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { Appearance } from './appearance.tsx'
import { maySee, sections } from './sections.ts'
import type { SectionName } from './sections.ts'
import { settingsApi } from './settings-api.ts'
import { You } from './you.tsx'

const pages: Record<SectionName, ComponentType> = {
  appearance: Appearance,
  you: You,
  policies: part(() => import('./policies-section.tsx')),
  budgets: part(() => import('./budgets-section.tsx')),
  models: part(() => import('./models-section.tsx')),
  users: part(() => import('./users-section.tsx')),
  runtime: part(() => import('./runtime-section.tsx')),
  audit: part(() => import('./audit-section.tsx')),
  about: part(() => import('./about-section.tsx')),
}

/** Everything that can be set, in sections: beside their list on a desk, one after the other on a phone. */
export default function SettingsPage() {
  const { section: wanted } = useSearch({ from: '/settings' })
  const known = useStore(session, (key) => key?.principal)
  // Scopes may have changed since this browser logged in.
  const { data: now } = useQuery({
    queryKey: ['whoami'],
    queryFn: ({ signal }) => settingsApi.whoami(signal),
    staleTime: 30_000,
  })
  const principal = now ?? known
  if (!principal) return null
  const mine = sections.filter((section) => maySee(principal, section))
  const shown = sections.find(({ name }) => name === wanted)
  const open = shown ?? sections[0]
  if (!open) return null
  const Content = pages[open.name]
  return (
    <>
      <PageHead title={words.heading} />
      <div className="flex min-h-0 grow">
        <nav
          aria-label={words.sections}
          className={`w-47 shrink-0 flex-col gap-0.5 overflow-y-auto ps-3.5 pe-2.5 max-sm:w-full max-sm:px-2 ${shown ? 'flex max-sm:hidden' : 'flex'}`}
        >
          {mine.map(({ name, Icon }) => (
            <Link
              key={name}
              to="/settings"
              search={{ section: name }}
              aria-current={name === open.name ? 'page' : undefined}
              data-section-link={name}
              className="flex min-h-8 items-center gap-2.5 rounded-control px-2 text-soft hover:text-text aria-[current=page]:bg-raise aria-[current=page]:text-text max-sm:min-h-12 max-sm:bg-transparent!"
            >
              <Icon size={16} className="shrink-0" aria-hidden />
              <span className="min-w-0">
                {words.section[name]}
                <span className="block truncate text-small text-mute sm:hidden">
                  {words.sectionHint[name]}
                </span>
              </span>
            </Link>
          ))}
        </nav>
        <div
          data-section={open.name}
          className={`min-w-0 grow overflow-y-auto px-5.5 pt-1 pb-20 max-sm:px-4 ${shown ? '' : 'max-sm:hidden'}`}
        >
          <Link to="/settings" className={`${buttonLook('quiet')} -ms-2.5 mb-2 sm:hidden`}>
            <ArrowLeft size={14} className="rtl:rotate-180" aria-hidden />
            {words.all}
          </Link>
          {maySee(principal, open) ? (
            <div className="max-w-220">
              <h2 className="text-title font-semibold">{words.section[open.name]}</h2>
              <p className="mb-5 text-soft">{words.sectionHint[open.name]}</p>
              <Content />
            </div>
          ) : (
            <Empty title={words.notYours} text={words.notYoursText}>
              <Link to="/settings" search={{ section: 'you' }} className={buttonLook()}>
                {words.section.you}
              </Link>
            </Empty>
          )}
        </div>
      </div>
    </>
  )
}
