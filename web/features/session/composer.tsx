import { useState } from 'react'
import { Square } from 'lucide-react'
import { chatStrings } from '../../strings/chat.ts'
import { roomApi } from '../../room-api.ts'
import { composerStrings } from '../../strings/composer.ts'
import { session } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { AttachButton, Attached } from '../chat/attached.tsx'
import { picturesIn, useAttachments } from '../chat/attachments.ts'
import { sayInChat, stopChat } from '../chat/chat-api.ts'
import { useIsBlind } from '../chat/models.ts'
import { isLive } from './execution-list.ts'
import type { KnownExecution } from './execution-list.ts'
import { takeExecution } from './executions-cache.ts'
import { maySpeak } from './may-speak.ts'
import { useSessionDraft } from './session-draft.ts'

interface Props {
  sessionId: string
  agentName: string
  /** Which model answers, where it is a chat with one; null for the default. */
  chat: { model: string | null; machineId: string | null } | undefined
  /** The newest; none before anything was asked. */
  execution: KnownExecution | undefined
  /** What begins the first turn. */
  capabilityId: string | undefined
  onSend: () => void
}

/** Where a person speaks to the agent. What is written here is not lost before it is sent. */
export function Composer({ sessionId, agentName, chat, execution, capabilityId, onSend }: Props) {
  const words = composerStrings
  const [text, write] = useSessionDraft(sessionId)
  const attachments = useAttachments()
  const isBlind = useIsBlind(chat?.model ?? null, chat?.machineId ?? null, chat !== undefined)
  const [doing, setDoing] = useState<'sending' | 'interrupting' | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const isAtWork = execution !== undefined && isLive(execution.status)
  const mayRun = session.get()?.principal.scopes.includes('run') ?? false
  if (!maySpeak(chat !== undefined))
    return <p className="border-t border-line px-5.5 py-3 text-mute">{words.mayNot}</p>
  if (mayRun && !execution && !capabilityId)
    return <p className="border-t border-line px-5.5 py-3 text-mute">{words.gone}</p>

  const attempt = async (what: 'sending' | 'interrupting', act: () => Promise<unknown>) => {
    setDoing(what)
    setProblem(null)
    try {
      await act()
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      setProblem(what === 'sending' ? words.notSent(reason) : words.notInterrupted(reason))
    } finally {
      setDoing(null)
    }
  }
  const { files } = attachments
  const isReady = (text.trim() !== '' || files.length > 0) && doing === null
  const send = () => {
    if (!isReady) return
    onSend()
    void attempt('sending', async () => {
      const said = text.trim() === '' ? chatStrings.seeAttached : text
      if (!mayRun) await sayInChat(sessionId, said, files)
      else if (execution) await roomApi.say(execution.id, said, files)
      else if (capabilityId)
        takeExecution(await roomApi.start({ capabilityId, sessionId, prompt: said, files: [...files] }))
      write('')
      attachments.clear()
    })
  }
  const [stop, stopping] = chat
    ? [chatStrings.stop, chatStrings.stopping]
    : [words.interrupt, words.interrupting]
  const interrupt = () =>
    execution &&
    void attempt('interrupting', () => (mayRun ? roomApi.interrupt(execution.id) : stopChat(sessionId)))
  return (
    <form
      data-composer
      className="shrink-0 px-5.5 pb-4 max-sm:px-4 max-sm:pb-2"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <div className="mx-auto max-w-200">
        {problem && (
          <p role="alert" className="pb-1.5 wrap-anywhere text-stop">
            {problem}
          </p>
        )}
        <div className="flex flex-col rounded-panel border border-edge bg-panel focus-within:border-control">
          <Attached attachments={attachments} />
          {isBlind && files.length > 0 && (
            <p className="px-3 pt-1.5 text-small text-soft">{chatStrings.blindModel(chat?.model)}</p>
          )}
          <textarea
            dir="auto"
            rows={2}
            value={text}
            maxLength={1_000_000}
            aria-label={words.label(agentName)}
            placeholder={chat ? chatStrings.hint : words.hint(agentName)}
            className="max-h-60 min-h-14 resize-none bg-transparent px-3 pt-2.5 field-sizing-content outline-none max-sm:text-[16px]"
            onChange={(event) => write(event.target.value)}
            onPaste={(event) => {
              const pictures = picturesIn(event.clipboardData)
              if (pictures.length > 0) event.preventDefault()
              attachments.add(pictures)
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
              event.preventDefault()
              send()
            }}
          />
          <div className="flex items-center gap-2 px-3 pt-1 pb-2">
            <AttachButton attachments={attachments} />
            <span className="min-w-0 text-small text-mute max-sm:line-clamp-2">
              {isAtWork ? (chat ? chatStrings.whileLive : words.whileLive) : words.whileOver}
            </span>
            <span className="ms-auto" />
            {isAtWork && (
              <Button look="quiet" disabled={doing !== null} onClick={interrupt}>
                {chat && <Square size={12} className="fill-current" aria-hidden />}
                {doing === 'interrupting' ? stopping : stop}
              </Button>
            )}
            <Button look="main" type="submit" disabled={!isReady}>
              {doing === 'sending' ? words.sending : words.send}
              <Kbd keys="↵" className="text-current! max-sm:hidden" />
            </Button>
          </div>
        </div>
      </div>
    </form>
  )
}
