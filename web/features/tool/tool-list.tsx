import { useDeferredValue, useState } from 'react'
import type { Tool, ToolListing } from '../../../src/contract/tool.ts'
import { toolStrings as words } from '../../strings/tool.ts'
import { Button } from '../../ui/button.tsx'
import { Section } from '../../ui/section.tsx'
import { fieldLook } from '../approval/field-look.ts'
import { visibleText } from '../approval/visible-text.ts'
import { DangerMark } from '../discovery/danger-mark.tsx'
import { toolDanger } from './tool-danger.ts'
import { ToolWindow } from './tool-window.tsx'
import { matching } from './matching.ts'

/** More than anybody reads; the others come when they are asked for. */
const shownAtFirst = 50

/** Everything that can be called, by namespace, and a field to find it. */
export function ToolList({ listing, isOwner }: { listing: ToolListing; isOwner: boolean }) {
  const [sought, setSought] = useState('')
  const [open, setOpen] = useState<string | null>(null)
  const settled = useDeferredValue(sought)
  const all = Object.entries(listing.namespaces).flatMap(([, { tools }]) => tools)
  const groups = Object.entries(listing.namespaces)
    .map(([name, { description, tools }]) => ({ name, description, tools: matching(tools, settled) }))
    .filter(({ tools }) => tools.length > 0)
  const found = groups.reduce((sum, { tools }) => sum + tools.length, 0)
  const opened = all.find(({ name }) => name === open)
  return (
    <Section
      title={words.offered}
      aside={<span className="text-small text-mute tabular-nums">{words.found(found)}</span>}
    >
      <input
        type="search"
        dir="auto"
        className={`${fieldLook} my-3 w-full max-w-100`}
        value={sought}
        aria-label={words.search}
        placeholder={words.search}
        onChange={(event) => setSought(event.target.value)}
      />
      {groups.length === 0 && <p className="py-2 text-soft">{words.nothingFound}</p>}
      {groups.map((group) => (
        <Namespace key={group.name} {...group} onOpen={setOpen} />
      ))}
      {listing.collisions.length > 0 && (
        <div className="mt-6">
          <h3 className="font-medium">{words.collisions}</h3>
          <ul className="text-small text-soft">
            {listing.collisions.map(({ source, tool, told }) => (
              <li key={`${source} ${tool}`} className="wrap-anywhere">
                {visibleText(told)}
              </li>
            ))}
          </ul>
        </div>
      )}
      {opened && <ToolWindow tool={opened} isOwner={isOwner} onClose={() => setOpen(null)} />}
    </Section>
  )
}

interface NamespaceProps {
  name: string
  description: string
  tools: Tool[]
  onOpen: (name: string) => void
}

function Namespace({ name, description, tools, onOpen }: NamespaceProps) {
  const [shown, setShown] = useState(shownAtFirst)
  return (
    <section aria-label={name} className="mb-5">
      <h3 className="flex items-baseline gap-2">
        <bdi className="font-medium">{name}</bdi>
        <bdi className="truncate text-small text-mute">{visibleText(description)}</bdi>
      </h3>
      <ul>
        {tools.slice(0, shown).map((tool) => (
          <li key={tool.name} className="border-b border-line">
            <button
              type="button"
              data-tool={tool.name}
              className="flex w-full min-w-0 items-baseline gap-3 py-1.5 text-start hover:bg-raise"
              onClick={() => onOpen(tool.name)}
            >
              <bdi dir="ltr" className="shrink-0 font-mono text-small max-sm:max-w-[60%] max-sm:truncate">
                {visibleText(tool.name.slice(name.length + 1))}
              </bdi>
              <bdi className="min-w-0 grow truncate text-small text-mute">
                {visibleText(firstLine(tool.description))}
              </bdi>
              <Marks tool={tool} />
            </button>
          </li>
        ))}
      </ul>
      {tools.length > shown && (
        <Button look="quiet" className="mt-1 -ms-2.5" onClick={() => setShown(tools.length)}>
          {words.more(tools.length - shown)}
        </Button>
      )}
    </section>
  )
}

function Marks({ tool }: { tool: Tool }) {
  const level = toolDanger(tool)
  return (
    <span className="flex shrink-0 items-center gap-2 text-tiny text-mute">
      {tool.deprecated && words.deprecated}
      {tool.definition === 'changed' && <span className="text-wait">{words.changed}</span>}
      <DangerMark level={level} hidesWord={level === 1} />
    </span>
  )
}

const firstLine = (text: string): string => text.trimStart().split('\n', 1)[0]!.slice(0, 300)
