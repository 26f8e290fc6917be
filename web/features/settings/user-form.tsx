import { useState } from 'react'
import { CreateUser, Scope } from '../../../src/contract/access.ts'
import type { CreatedUser, User } from '../../../src/contract/access.ts'
import { misfitsIn } from '../../misfit.ts'
import { userStrings as words } from '../../strings/user.ts'
import { settingsStrings } from '../../strings/settings.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { toast } from '../../ui/toast.tsx'
import { fieldLook } from '../approval/field-look.ts'
import { Misfit } from '../../ui/misfit-line.tsx'
import { settingsApi } from './settings-api.ts'

interface Props {
  /** Without one, a new one is made. */
  user: User | undefined
  onClose: () => void
  onSaved: (made?: CreatedUser) => Promise<void>
}

export function UserForm({ user, onClose, onSaved }: Props) {
  const [name, setName] = useState(user?.name ?? '')
  const [scopes, setScopes] = useState<Scope[]>(user?.scopes ?? ['board', 'run', 'tools', 'code', 'chat'])
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const body = { name: name.trim(), scopes }
  const misfits = misfitsIn(CreateUser, body)
  const save = async () => {
    setBusy(true)
    setProblem(null)
    try {
      if (user) {
        await settingsApi.editUser(user.id, body)
        await onSaved()
        toast(settingsStrings.saved)
      } else await onSaved(await settingsApi.addUser(body))
      onClose()
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
      setBusy(false)
    }
  }
  return (
    <Dialog title={user ? words.editUser(user.name) : words.newUser} onClose={onClose} className="w-120">
      <form
        className="flex min-h-0 flex-col"
        onSubmit={(event) => {
          event.preventDefault()
          if (Object.keys(misfits).length === 0 && !isBusy) void save()
        }}
      >
        <div className="flex min-h-0 flex-col gap-3 overflow-y-auto px-4 pb-3">
          <Field label={words.name}>
            <input
              className={fieldLook}
              value={name}
              maxLength={100}
              placeholder={words.nameHint}
              onChange={(event) => setName(event.target.value)}
            />
            {name !== '' && <Misfit reason={misfits['name']} />}
          </Field>
          <fieldset className="flex flex-col gap-0.5">
            <legend className="mb-1 text-small text-soft">{words.may}</legend>
            {Scope.options.map((scope) => (
              <label key={scope} className="flex items-start gap-2.5 py-1 max-sm:py-2">
                <input
                  type="checkbox"
                  className="mt-0.5 size-4 shrink-0 accent-text"
                  checked={scopes.includes(scope)}
                  onChange={({ target }) =>
                    setScopes(target.checked ? [...scopes, scope] : scopes.filter((one) => one !== scope))
                  }
                />
                <span>
                  {words.scope[scope]}
                  <span className="block text-small text-mute">{words.scopeMeans[scope]}</span>
                </span>
              </label>
            ))}
          </fieldset>
          <Misfit reason={problem ?? undefined} isAlert />
        </div>
        <div className="flex justify-end border-t border-line px-4 py-3">
          <Button look="main" type="submit" disabled={isBusy || Object.keys(misfits).length > 0}>
            {user ? words.submitEdit : words.submitNew}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
