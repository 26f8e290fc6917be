import { RadioGroup } from 'radix-ui'
import { useStore } from '../../store.ts'
import { notificationStrings } from '../../strings/notification.ts'
import { settingsStrings } from '../../strings/settings.ts'
import { strings } from '../../strings/page.ts'
import { chooseTheme, theme, themes } from '../../theme.ts'
import type { Theme } from '../../theme.ts'
import { NotifyChoice } from '../notification/notify-choice.tsx'
import { Group } from './group.tsx'

export function Appearance() {
  return (
    <>
      <ThemeChoice />
      <Group title={notificationStrings.heading}>
        <NotifyChoice />
      </Group>
    </>
  )
}

function ThemeChoice() {
  const chosen = useStore(theme)
  return (
    <Group title={settingsStrings.theme}>
      <RadioGroup.Root
        value={chosen}
        aria-label={settingsStrings.theme}
        className="mt-3 inline-flex rounded-control border border-edge p-0.5"
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
    </Group>
  )
}
