import { memo } from 'react'
import type { KeyboardEvent } from 'react'
import type { FoundProgram } from '../../../src/contract/discovery.ts'
import type { Preset } from '../../../src/contract/preset.ts'
import { discoveryStrings as words } from '../../strings/discovery.ts'
import { strings } from '../../strings/page.ts'
import { Signal } from '../../ui/signal.tsx'
import { visibleText } from '../approval/visible-text.ts'
import { ClassMark } from './class-mark.tsx'
import { DangerMark } from './danger-mark.tsx'

/** All of the same height, so that thousands cost no more than those in sight and nothing moves while they arrive. */
export const ROW_HEIGHT = 52

interface Props {
  index: number
  top: number
  total: number
  program: FoundProgram | undefined
  login: Preset['login'] | undefined
  /** The name of the one that it is on, where there are several. */
  machine: string | undefined
  isChosen: boolean
  /** Where Tab leads to; the others are reached by arrows. */
  isActive: boolean
  onOpen: (index: number) => void
  onChoose: (index: number, isRange: boolean) => void
  onPress: (event: KeyboardEvent, index: number) => void
}

export const FoundRow = memo(function FoundRow(props: Props) {
  const { index, top, total, program, login, machine, isChosen, isActive, onOpen, onChoose, onPress } = props
  return (
    <li
      data-found={program?.name}
      aria-setsize={total}
      aria-posinset={index + 1}
      className={`absolute inset-x-0 top-0 flex items-center border-b border-line hover:bg-raise ${isChosen ? 'bg-raise/60' : ''}`}
      style={{ blockSize: ROW_HEIGHT, transform: `translateY(${top}px)` }}
    >
      <Box program={program} isChosen={isChosen} onChoose={(isRange) => onChoose(index, isRange)} />
      <button
        type="button"
        data-row={index}
        tabIndex={isActive ? 0 : -1}
        className="flex h-full min-w-0 grow items-center gap-2 rounded-small pe-2 text-start focus-visible:-outline-offset-2"
        onClick={(event) => (event.shiftKey ? onChoose(index, true) : onOpen(index))}
        onKeyDown={(event) => onPress(event, index)}
        onKeyUp={(event) => event.key === ' ' && event.preventDefault()}
      >
        {program ? (
          <>
            <Words program={program} login={login} machine={machine} />
            <Facts program={program} />
          </>
        ) : (
          <span className="sr-only">{strings.loading}</span>
        )}
      </button>
    </li>
  )
})

interface BoxProps {
  program: FoundProgram | undefined
  isChosen: boolean
  onChoose: (isRange: boolean) => void
}

const Box = ({ program, isChosen, onChoose }: BoxProps) => (
  <label className="flex h-full w-9 shrink-0 cursor-pointer items-center justify-center">
    <input
      type="checkbox"
      tabIndex={-1}
      aria-label={words.select(program?.name ?? strings.loading)}
      disabled={!program}
      className="size-4 accent-(--text)"
      checked={isChosen}
      onChange={({ nativeEvent }) => onChoose(nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)}
    />
  </label>
)

function Words({ program, login, machine }: Pick<Props, 'login' | 'machine'> & { program: FoundProgram }) {
  const { name, version, package: pack, packageSource, description, path } = program
  const from = pack && pack !== name ? pack : packageSource === 'none' && description ? path : ''
  return (
    <span className="min-w-0 grow">
      <span className="flex min-w-0 items-baseline gap-2">
        <bdi dir="ltr" className="shrink-0 truncate font-mono font-medium max-sm:max-w-[60%]">
          {visibleText(name)}
        </bdi>
        <bdi dir="ltr" className="min-w-0 truncate text-small text-mute tabular-nums">
          {[from, version]
            .filter(Boolean)
            .map((part) => visibleText(part!))
            .join(' ')}
        </bdi>
      </span>
      <span className="block truncate text-small text-mute">
        {machine !== undefined && <bdi className="me-2 text-soft">{visibleText(machine)}</bdi>}
        {login && <span className="me-2 text-soft">{words.login[login.state]}</span>}
        <bdi>{visibleText(description ?? path)}</bdi>
      </span>
    </span>
  )
}

const marks = {
  confirmed: <Signal aspect="done" word={words.confirmedMark} />,
  hidden: <Signal aspect="off" word={words.hiddenMark} />,
  found: null,
}

function Facts({ program }: { program: FoundProgram }) {
  const { class: kind, confidence, danger, uses, state, goneAt } = program
  return (
    <span className="flex shrink-0 items-end gap-4 text-small text-soft max-sm:flex-col max-sm:gap-0.5">
      <span className="flex gap-2 sm:w-24">
        <span className="flex sm:hidden">{danger > 1 && <DangerMark level={danger} hidesWord />}</span>
        <ClassMark class={kind} confidence={confidence} />
      </span>
      <span className="flex w-24 max-sm:hidden">{danger > 0 && <DangerMark level={danger} />}</span>
      <span className="w-16 text-end text-mute tabular-nums max-lg:hidden" title={words.usesText(uses)}>
        {uses > 0 && words.uses(uses)}
      </span>
      <span className="flex sm:w-24">
        {goneAt ? <Signal aspect="stopped" word={words.goneMark} /> : marks[state]}
      </span>
    </span>
  )
}
