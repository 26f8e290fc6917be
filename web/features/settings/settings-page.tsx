import { Link } from '@tanstack/react-router'
import { RadioGroup } from 'radix-ui'
import type { ReactNode } from 'react'
import { roomApi } from '../../room-api.ts'
import { dropSession, session } from '../../session.ts'
import { useStore } from '../../store.ts'
import { notificationStrings } from '../../strings/notification.ts'
import { settingsStrings } from '../../strings/settings.ts'
import { spendStrings } from '../../strings/spend.ts'
import { strings } from '../../strings/page.ts'
import { chooseTheme, theme, themes } from '../../theme.ts'
import type { Theme } from '../../theme.ts'
import { Button } from '../../ui/button.tsx'
import { dateAndTime } from '../../ui/time.ts'
import { NotifyChoice } from '../notification/notify-choice.tsx'
import { PageHead } from '../shell/page-head.tsx'

export default function SettingsPage() {
  return (
    <>
      <PageHead title={settingsStrings.heading} />
      <div className="flex max-w-160 flex-col gap-8 overflow-y-auto px-5.5 pt-2 pb-8 max-sm:px-4">
        <Section title={settingsStrings.appearance} hint={settingsStrings.appearanceHint}>
          <ThemeChoice />
        </Section>
        <Section title={notificationStrings.heading}>
          <NotifyChoice />
        </Section>
        <Section title={spendStrings.heading}>
          <Link to="/spend" className="underline">
            {settingsStrings.spend}
          </Link>
        </Section>
        <Section title={settingsStrings.you}>
          <WhoAmI />
        </Section>
      </div>
    </>
  )
}

function Section({ title, hint, children }: { title: string; hint?: string; children: ReactNode }) {
  return (
    <section className="grid gap-3 border-t border-line pt-4 sm:grid-cols-[160px_1fr]">
      <div>
        <h2 className="font-semibold">{title}</h2>
        {hint && <p className="text-small text-mute">{hint}</p>}
      </div>
      <div>{children}</div>
    </section>
  )
}

function ThemeChoice() {
  const chosen = useStore(theme)
  return (
    <RadioGroup.Root
      value={chosen}
      aria-label={settingsStrings.appearance}
      className="inline-flex rounded-control border border-edge p-0.5"
      onValueChange={(value) => chooseTheme(value as Theme)}
    >
      {themes.map((each) => (
        <RadioGroup.Item
          key={each}
          value={each}
          className="h-7 rounded-small px-3 text-soft data-[state=checked]:bg-raise data-[state=checked]:text-text max-sm:h-9"
        >
          {strings.themes[each]}
        </RadioGroup.Item>
      ))}
    </RadioGroup.Root>
  )
}

function WhoAmI() {
  const key = useStore(session)
  if (!key) return null
  const { principal, expiresAt } = key
  return (
    <div className="flex flex-col items-start gap-3">
      <p>
        <bdi className="font-semibold">{principal.name}</bdi>
        <span className="block text-soft">{settingsStrings.kind[principal.kind]}</span>
      </p>
      <p className="text-soft">
        {settingsStrings.scopes}: {principal.scopes.join(', ')}
      </p>
      <p className="text-small text-mute">{settingsStrings.until(dateAndTime(expiresAt))}</p>
      <Button
        onClick={() => {
          // The key is forgotten here in any case; that the server forgets it too is the better half of it.
          void roomApi.logOut().catch(() => {})
          dropSession()
        }}
      >
        {settingsStrings.logOut}
      </Button>
    </div>
  )
}
