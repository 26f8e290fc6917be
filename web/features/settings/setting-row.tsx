import { useRef, useState } from 'react'
import type { Setting, SettingKey } from '../../../src/contract/settings.ts'
import { settingStrings as words } from '../../strings/setting.ts'
import { Button } from '../../ui/button.tsx'
import { ago, dateAndTime } from '../../ui/time.ts'
import { toast } from '../../ui/toast.tsx'
import { SettingField } from './setting-field.tsx'
import { shownValue } from './setting-value.ts'
import { told } from './told.ts'
import { changeSetting } from './use-settings.ts'

/** A setting: what it means, its value, where that comes from, and how to change or give it back. */
export function SettingRow({ name, setting }: { name: SettingKey; setting: Setting }) {
  const { value, source, description, otherwise, updatedBy, updatedAt, variable, key, ignored } = setting
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const close = () => {
    button.current?.focus()
    setOpen(false)
  }
  const called = words.name[name]
  const isSet = source === 'database' || ignored !== null
  const reset = () =>
    told(async () => {
      const now = await changeSetting(name, null)
      toast(words.saved(called, shownValue(name, now[name].value)))
    })
  return (
    <li data-setting={name} className="border-b border-line py-2.5">
      <div className="grid grid-cols-[minmax(0,1fr)_200px_132px] items-start gap-x-4 gap-y-1.5 max-sm:grid-cols-[minmax(0,1fr)_auto]">
        <div className="min-w-0 max-sm:col-span-2">
          <p className="font-medium">{called}</p>
          <p className="text-small text-mute">{description}</p>
          <p dir="ltr" className="font-mono text-tiny wrap-anywhere text-mute">
            {words.places(key, variable)}
          </p>
        </div>
        <div className="min-w-0">
          <p data-value className="font-medium wrap-anywhere tabular-nums">
            {shownValue(name, value)}
          </p>
          <p className="text-small text-mute" title={updatedAt ? dateAndTime(updatedAt) : undefined}>
            {words.from[source]}
            {updatedBy && updatedAt
              ? ` ${words.changedBy(updatedBy === 'owner' ? words.owner : words.user, ago(updatedAt))}`
              : ''}
          </p>
          {source === 'database' && (
            <p className="text-small text-mute">
              {words.otherwise(shownValue(name, otherwise), words.from[setting.otherwiseSource])}
            </p>
          )}
          {source !== 'database' && source !== 'default' && (
            <p className="text-small text-mute">{words.default(shownValue(name, setting.default))}</p>
          )}
          {ignored && <p className="text-small text-stop">{words.ignored(ignored)}</p>}
        </div>
        <div className="flex shrink-0 justify-end gap-1">
          {isSet && (
            <Button look="quiet" aria-label={words.resetOne(called)} onClick={() => void reset()}>
              {words.reset}
            </Button>
          )}
          <Button
            ref={button}
            aria-label={words.change(called)}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? words.cancel : words.changeShort}
          </Button>
        </div>
      </div>
      {isOpen && <SettingField name={name} value={value} onClose={close} />}
    </li>
  )
}
