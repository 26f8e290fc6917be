import { AppWindow, Bot, Hash, Server, Wrench } from 'lucide-react'
import type { ComponentType } from 'react'
import type { FoundProgram, ProgramClass } from '../../../src/contract/discovery.ts'
import { discoveryStrings as words } from '../../strings/discovery.ts'

const icons: Record<ProgramClass, ComponentType<{ size: number; className: string }>> = {
  tool: Wrench,
  agent: Bot,
  tui: AppWindow,
  daemon: Server,
  builtin: Hash,
}

/** Less sure than this, and it is told that it may be something else. */
const sure = 0.6

/** What a program is: a shape and a word. */
export function ClassMark({ class: kind, confidence }: Pick<FoundProgram, 'class' | 'confidence'>) {
  const Icon = icons[kind]
  return (
    <span
      data-class={kind}
      title={`${words.classText[kind]} (${words.sure(confidence)})`}
      className="inline-flex items-center gap-1.5 whitespace-nowrap"
    >
      <Icon size={12} className="shrink-0 text-mute" aria-hidden />
      {confidence < sure ? words.guess(words.classes[kind]) : words.classes[kind]}
    </span>
  )
}
