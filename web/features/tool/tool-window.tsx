import { useState } from 'react'
import type { Tool, ToolAnswer } from '../../../src/contract/tool.ts'
import { queryClient } from '../../query-client.ts'
import { toolStrings as words } from '../../strings/tool.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { toast } from '../../ui/toast.tsx'
import { DangerDialog, DangerText, isDangerous } from '../approval/danger-dialog.tsx'
import { SchemaFieldRow } from '../approval/schema-field-row.tsx'
import { isFilled, problemsIn, schemaContent } from '../approval/schema-content.ts'
import { schemaFields } from '../approval/schema-fields.ts'
import type { Values } from '../approval/schema-fields.ts'
import { visibleText } from '../approval/visible-text.ts'
import { refusedFields } from '../agent/refused-fields.ts'
import { DangerMark } from '../discovery/danger-mark.tsx'
import { toolApi } from './tool-api.ts'
import { toolDanger } from './tool-danger.ts'
import { ToolOutcome } from './tool-outcome.tsx'
import { WhatChanged } from './what-changed.tsx'

interface Props {
  tool: Tool
  isOwner: boolean
  onClose: () => void
}

/** One tool: what it says of itself, and a form to call it with. */
export function ToolWindow({ tool, isOwner, onClose }: Props) {
  const [values, setValues] = useState<Values>({})
  const [isAsking, setAsking] = useState(false)
  const [isCalling, setCalling] = useState(false)
  const [answer, setAnswer] = useState<ToolAnswer | null>(null)
  const [refusal, setRefusal] = useState<Error | null>(null)
  const fields = schemaFields(tool.inputSchema)
  const content = schemaContent(fields, values)
  const { problems, fits } = problemsIn(tool.inputSchema, fields, values)
  const isReady = !isCalling && fits && isFilled(fields, values)
  const level = toolDanger(tool)
  const call = async (confirm: boolean) => {
    setCalling(true)
    setRefusal(null)
    setAnswer(null)
    try {
      setAnswer(await toolApi.callTool(tool.name, content, confirm))
    } catch (error) {
      setRefusal(error instanceof Error ? error : new Error(String(error)))
    } finally {
      setCalling(false)
    }
  }
  return (
    <Dialog title={visibleText(tool.name)} onClose={onClose} className="w-170">
      <form
        className="flex min-h-0 flex-col"
        onSubmit={(event) => {
          event.preventDefault()
          if (!isReady) return
          if (isDangerous(level)) setAsking(true)
          else void call(false)
        }}
      >
        <div className="flex min-h-0 flex-col gap-4 overflow-y-auto px-4 pb-3">
          <About tool={tool} isOwner={isOwner} />
          {fields.length === 0 && <p className="text-mute">{words.takesNothing}</p>}
          {fields.map((field) => (
            <SchemaFieldRow
              key={field.name}
              field={field}
              value={field.name in values ? values[field.name] : field.start}
              onChange={(value) => {
                setRefusal(null)
                setValues((now) => ({ ...now, [field.name]: value }))
              }}
              isDisabled={isCalling}
              problems={{ ...refusedFields(refusal), ...problems }}
            />
          ))}
          {refusal && (
            <p role="alert" className="wrap-anywhere text-stop">
              {visibleText(refusal.message)}
            </p>
          )}
          {answer && <ToolOutcome answer={answer} />}
        </div>
        <div className="flex items-center gap-3 border-t border-line px-4 py-3">
          <span className="text-small">
            <DangerMark level={level} />
          </span>
          <Button look="main" type="submit" className="ms-auto" disabled={!isReady}>
            {isCalling ? words.calling : isDangerous(level) ? words.callDangerous : words.call}
          </Button>
        </div>
      </form>
      {isAsking && (
        <DangerDialog
          level={level}
          name={tool.name}
          onGo={() => void call(true)}
          onClose={() => setAsking(false)}
        >
          <DangerText>{`${tool.name}(${JSON.stringify(content, null, 2)})`}</DangerText>
        </DangerDialog>
      )}
    </Dialog>
  )
}

function About({ tool, isOwner }: Pick<Props, 'tool' | 'isOwner'>) {
  const { description, inputSchema, definition, unavailable, notes, source } = tool
  const accept = async () => {
    try {
      await toolApi.acceptTool(tool.name)
      toast(words.accepted(tool.name))
      await queryClient.invalidateQueries({ queryKey: ['tools'] })
    } catch (error) {
      toast(words.notDone(error instanceof Error ? error.message : String(error)), { isProblem: true })
    }
  }
  return (
    <div className="flex flex-col gap-2">
      <p
        dir="auto"
        className="max-h-60 overflow-y-auto wrap-anywhere whitespace-pre-wrap text-soft"
        title={words.untrusted}
      >
        {visibleText(description) || words.noDescription}
      </p>
      {definition === 'changed' && (
        <p className="flex flex-wrap items-center gap-3 text-wait">
          <span className="grow basis-80">{words.changedText}</span>
          {isOwner && <Button onClick={() => void accept()}>{words.accept}</Button>}
        </p>
      )}
      {definition === 'changed' && isOwner && <WhatChanged tool={tool} />}
      {unavailable && <p className="wrap-anywhere text-stop">{visibleText(unavailable)}</p>}
      {notes?.map((note) => (
        <p key={note} className="text-small wrap-anywhere text-mute">
          {visibleText(note)}
        </p>
      ))}
      <details className="text-small">
        <summary className="cursor-pointer text-mute">
          {words.schema} · <bdi>{source}</bdi>
        </summary>
        <pre
          dir="ltr"
          className="mt-1 max-h-80 overflow-auto rounded-control border border-line p-2 font-mono text-tiny"
        >
          {visibleText(JSON.stringify(inputSchema, null, 2))}
        </pre>
      </details>
    </div>
  )
}
