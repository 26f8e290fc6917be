import { useEffect, useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { ChangeSettings } from '../../../src/contract/settings.ts'
import type { SettingKey } from '../../../src/contract/settings.ts'
import { misfitsIn } from '../../misfit.ts'
import { settingStrings as words } from '../../strings/setting.ts'
import { Button } from '../../ui/button.tsx'
import { Pick } from '../../ui/field.tsx'
import { toast } from '../../ui/toast.tsx'
import { fieldLook } from '../approval/field-look.ts'
import { Misfit } from '../../ui/misfit-line.tsx'
import { choicesOf, kindOf, readValue, shownValue, writtenValue } from './setting-value.ts'
import { changeSetting } from './use-settings.ts'

interface Props {
  name: SettingKey
  value: unknown
  onClose: () => void
}

/** Where a setting is changed: says at every key whether it fits. */
export function SettingField({ name, value, onClose }: Props) {
  const kind = kindOf(name)
  const [text, setText] = useState(() => (kind === 'switch' ? String(!value) : writtenValue(name, value)))
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const line = useRef<HTMLInputElement>(null)
  const area = useRef<HTMLTextAreaElement>(null)
  // It was opened to be written in.
  useEffect(() => (line.current ?? area.current)?.focus(), [])
  const leave = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose()
  }
  const read = readValue(name, text)
  const misfit =
    'problem' in read ? read.problem : Object.values(misfitsIn(ChangeSettings.shape[name], read.value))[0]
  const hint = kind === 'duration' ? words.duration : kind === 'size' ? words.size : undefined
  const save = async () => {
    if ('problem' in read || misfit || isBusy) return
    setBusy(true)
    setProblem(null)
    try {
      const now = await changeSetting(name, read.value)
      toast(words.saved(words.name[name], shownValue(name, now[name].value)))
      onClose()
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
      setBusy(false)
    }
  }
  const choices =
    kind === 'switch' ? ['true', 'false'] : name in choicesOf ? choicesOf[name as keyof typeof choicesOf] : []
  const label = words.name[name]
  return (
    <form
      className="mt-2 flex flex-wrap items-start gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <div className="min-w-0 grow basis-70">
        {choices.length > 0 ? (
          <Pick
            value={text}
            choices={choices}
            nameOf={(one) => (kind === 'switch' ? shownValue(name, one === 'true') : one || words.none)}
            onChoose={setText}
          />
        ) : kind === 'origins' ? (
          <textarea
            ref={area}
            dir="ltr"
            rows={3}
            onKeyDown={leave}
            aria-label={label}
            placeholder={words.origins}
            className={`${fieldLook} font-mono`}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        ) : (
          <input
            ref={line}
            dir="ltr"
            onKeyDown={leave}
            aria-label={label}
            aria-invalid={misfit !== undefined}
            placeholder={hint}
            className={fieldLook}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
        <Misfit reason={problem ?? misfit} isAlert={problem !== null} />
        {!misfit && hint && <span className="text-small text-mute">{hint}</span>}
      </div>
      <Button look="main" type="submit" disabled={misfit !== undefined || isBusy}>
        {words.save}
      </Button>
    </form>
  )
}
