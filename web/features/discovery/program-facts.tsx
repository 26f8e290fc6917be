import type { ReactNode } from 'react'
import type { FoundProgram } from '../../../src/contract/discovery.ts'
import { discoveryStrings } from '../../strings/discovery.ts'
import { dateAndTime } from '../../ui/time.ts'
import { visibleText } from '../approval/visible-text.ts'
import { ClassMark } from './class-mark.tsx'
import { DangerMark } from './danger-mark.tsx'

const words = discoveryStrings.program

/** What is known of a program before anybody asks what it can do. */
export function ProgramFacts({ program, machine }: { program: FoundProgram; machine: string | undefined }) {
  const { path, realPath, package: pack, packageSource, version, description } = program
  const { class: kind, confidence, danger, uses, aliases, goneAt } = program
  const from = [pack, version].filter((part) => part !== null).map(visibleText)
  return (
    <div className="flex flex-col gap-3">
      {description && (
        <p dir="auto" className="wrap-anywhere text-soft">
          {visibleText(description)}
        </p>
      )}
      {goneAt && (
        <p role="alert" className="text-stop">
          {words.gone(dateAndTime(goneAt))}
        </p>
      )}
      <dl className="grid grid-cols-[88px_1fr] gap-x-4 gap-y-1 text-small">
        <Fact name={words.kind}>
          <span className="flex flex-wrap items-center gap-x-2">
            <ClassMark class={kind} confidence={confidence} />
            <span className="text-mute">
              {discoveryStrings.classText[kind]}, {discoveryStrings.sure(confidence)}
            </span>
          </span>
        </Fact>
        <Fact name={words.danger}>
          <span className="flex items-center">
            <DangerMark level={danger} />
          </span>
        </Fact>
        <Fact name={words.package}>
          <bdi dir="ltr">{from.join(' ') || words.noPackage}</bdi>
          <span className="ms-2 text-mute">{words.sources[packageSource]}</span>
        </Fact>
        {machine !== undefined && <Fact name={words.machine}>{visibleText(machine)}</Fact>}
        <Fact name={words.path}>
          <Path>{path}</Path>
        </Fact>
        {realPath !== path && (
          <Fact name={words.realPath}>
            <Path>{realPath}</Path>
          </Fact>
        )}
        <Fact name={words.used}>{uses > 0 ? discoveryStrings.usesText(uses) : words.neverUsed}</Fact>
        {aliases.length > 0 && (
          <Fact name={words.aliases}>
            <Path>{aliases.join(', ')}</Path>
          </Fact>
        )}
      </dl>
    </div>
  )
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <>
    <dt className="text-mute">{name}</dt>
    <dd className="min-w-0 wrap-anywhere">{children}</dd>
  </>
)
const Path = ({ children }: { children: string }) => (
  <bdi dir="ltr" className="font-mono text-tiny wrap-anywhere">
    {visibleText(children)}
  </bdi>
)
