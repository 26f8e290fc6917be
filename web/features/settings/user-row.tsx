import { MoreHorizontal } from 'lucide-react'
import { useState } from 'react'
import type { CreatedUser, User } from '../../../src/contract/access.ts'
import { userStrings as words } from '../../strings/user.ts'
import { AskFirst } from '../../ui/ask-first.tsx'
import { IconButton } from '../../ui/button.tsx'
import { MenuContent, MenuItem, MenuLine, MenuRoot, MenuTrigger } from '../../ui/menu.tsx'
import { ago } from '../../ui/time.ts'
import { toast } from '../../ui/toast.tsx'
import { settingsApi } from './settings-api.ts'
import { isGone } from './told.ts'

interface Props {
  user: User
  onEdit: () => void
  onToken: (made: CreatedUser) => void
  onChanged: () => Promise<unknown>
}

export function UserRow({ user, onEdit, onToken, onChanged }: Props) {
  const { id, name, scopes, createdAt } = user
  const [asks, setAsks] = useState<'rotate' | 'delete' | null>(null)
  /** Whoever was deleted meanwhile is said to be, and the list is read anew. */
  const orGone = async (work: () => Promise<void>) => {
    try {
      await work()
    } catch (error) {
      if (!isGone(error)) throw error
      toast(words.gone, { isProblem: true })
    }
    await onChanged()
  }
  return (
    <li data-user={name} className="flex min-h-12 items-center gap-3 border-b border-line py-1.5">
      <div className="min-w-0 grow">
        <bdi className="font-medium">{name}</bdi>
        <p className="text-small text-mute">
          {scopes.length === 0 ? words.nothing : scopes.map((scope) => words.scope[scope]).join(', ')}
        </p>
      </div>
      <span className="shrink-0 text-small text-mute max-sm:hidden">{words.since(ago(createdAt))}</span>
      <MenuRoot>
        <MenuTrigger asChild>
          <IconButton label={words.menuOf(name)}>
            <MoreHorizontal size={16} aria-hidden />
          </IconButton>
        </MenuTrigger>
        <MenuContent align="end">
          <MenuItem onSelect={onEdit}>{words.change}</MenuItem>
          <MenuItem onSelect={() => setAsks('rotate')}>{words.rotate}</MenuItem>
          <MenuLine />
          <MenuItem onSelect={() => setAsks('delete')}>{words.delete}</MenuItem>
        </MenuContent>
      </MenuRoot>
      {asks === 'rotate' && (
        <AskFirst
          title={words.rotateTitle(name)}
          text={words.rotateText}
          act={words.rotateAct}
          onAct={() => orGone(async () => onToken(await settingsApi.newToken(id)))}
          onClose={() => setAsks(null)}
        />
      )}
      {asks === 'delete' && (
        <AskFirst
          title={words.deleteTitle(name)}
          text={words.deleteText}
          act={words.deleteAct}
          onAct={() =>
            orGone(async () => {
              await settingsApi.deleteUser(id)
              toast(words.deleted(name))
            })
          }
          onClose={() => setAsks(null)}
        />
      )}
    </li>
  )
}
