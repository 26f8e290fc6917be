import { Check, Ellipsis } from 'lucide-react'
import type { ReactNode } from 'react'
import { useStore } from '../../store.ts'
import { terminalStrings as words } from '../../strings/terminal.ts'
import { IconButton } from '../../ui/button.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { MenuContent, MenuItem, MenuLine, MenuRoot, MenuTrigger } from '../../ui/menu.tsx'
import { copyOnSelect, screenReader } from './preferences.ts'

interface Props {
  onCopy: () => void
  onPaste: () => void
  isWatching: boolean
  onWatch: (isWatching: boolean) => void
  onLeave: () => void
}

/** What is seldom wanted of a terminal, and how it should behave in this browser. */
export function TerminalMenu({ onCopy, onPaste, isWatching, onWatch, onLeave }: Props) {
  const copies = useStore(copyOnSelect)
  const reads = useStore(screenReader)
  return (
    <MenuRoot>
      <MenuTrigger asChild>
        <IconButton label={words.more}>
          <Ellipsis size={16} aria-hidden />
        </IconButton>
      </MenuTrigger>
      <MenuContent align="end">
        <MenuItem onSelect={onCopy}>
          {words.copy} <Kbd keys="Ctrl Shift C" className="ms-auto" />
        </MenuItem>
        <MenuItem onSelect={onPaste}>
          {words.paste} <Kbd keys="Ctrl Shift V" className="ms-auto" />
        </MenuItem>
        <MenuItem onSelect={onLeave}>
          {words.leave} <Kbd keys="Ctrl Shift ↵" className="ms-auto" />
        </MenuItem>
        <MenuLine />
        <Ticked isOn={isWatching} onChange={onWatch}>
          {words.watchOnly}
        </Ticked>
        <Ticked isOn={copies} onChange={copyOnSelect.set}>
          {words.copyOnSelect}
        </Ticked>
        <Ticked isOn={reads} onChange={screenReader.set}>
          {words.screenReader}
        </Ticked>
      </MenuContent>
    </MenuRoot>
  )
}

interface TickedProps {
  isOn: boolean
  onChange: (isOn: boolean) => void
  children: ReactNode
}

function Ticked({ isOn, onChange, children }: TickedProps) {
  return (
    <MenuItem role="menuitemcheckbox" aria-checked={isOn} onSelect={() => onChange(!isOn)}>
      {children}
      <span className="ms-auto ps-3">{isOn && <Check size={14} aria-hidden />}</span>
    </MenuItem>
  )
}
