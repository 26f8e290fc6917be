import { useQuery } from '@tanstack/react-query'
import { ChevronDown } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useStore } from '../../store.ts'
import { codeStrings as words } from '../../strings/code.ts'
import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { MenuContent, MenuItem, MenuRoot, MenuTrigger } from '../../ui/menu.tsx'
import { toast } from '../../ui/toast.tsx'
import { codeApi } from './code-api.ts'
import { CodeEditor } from './code-editor.tsx'
import type { EditorHandle } from './code-editor.tsx'
import { examples } from './examples.ts'
import type { Example } from './examples.ts'
import { keep, kept } from './kept-code.ts'
import { Outcome, placesOf } from './outcome.tsx'
import { ReachChooser } from './reach-chooser.tsx'
import { capabilitiesOf, usualReach, withCapability } from './reach.ts'
import { cancelRun, run, startRun, takeUpWaiting } from './run.ts'

/** Writes code against the tools, runs it, and shows what came of it. */
export default function Playground() {
  const editor = useRef<EditorHandle>(null)
  const reach = useStore(kept, (now) => now.reach)
  const isLive = useStore(run, ({ phase }) => phase === 'running' || phase === 'waiting')
  const isCancelling = useStore(run, (now) => now.isCancelling)
  const api = useQuery({
    queryKey: ['code api', reach.sessionId],
    queryFn: ({ signal }) => codeApi.declarations(reach.sessionId, signal),
    refetchInterval: 20_000,
  })
  useEffect(takeUpWaiting, [])
  useEffect(() => run.subscribe(() => markError(editor.current)), [])

  const begin = () => {
    const { code, reach: now } = kept.get()
    if (run.get().phase === 'running' || run.get().phase === 'waiting') return
    void startRun({
      code,
      capabilities: capabilitiesOf(now),
      ...(now.sessionId !== null && { sessionId: now.sessionId }),
    })
  }
  const show = ({ code, reach: wanted }: Example) => {
    offerUndo(editor.current)
    keep({ reach: { ...usualReach, ...wanted } })
    editor.current?.replace(code)
  }
  const clear = () => {
    offerUndo(editor.current)
    editor.current?.replace('')
  }
  const allow = (capability: string) => {
    const more = withCapability(reach, capability)
    if (!more) return undefined
    return () => {
      keep({ reach: more })
      begin()
    }
  }
  return (
    <div className="flex min-h-0 grow flex-col border-t border-line lg:flex-row max-lg:overflow-y-auto">
      <div className="flex min-h-0 min-w-0 flex-col lg:w-[56%] max-lg:h-[62dvh] max-lg:shrink-0">
        {api.error && !api.data && (
          <p role="alert" className="px-3 py-1 wrap-anywhere text-stop">
            {words.apiFailed(api.error.message)}
          </p>
        )}
        <CodeEditor
          ref={editor}
          code={kept.get().code}
          api={api.data}
          onChange={(code) => keep({ code })}
          onRun={begin}
          check={check}
        />
        <p className="shrink-0 border-t border-line px-3 py-1.5 text-small text-mute max-sm:hidden">
          {words.hint}
        </p>
        <div className="flex shrink-0 flex-wrap items-center gap-2 border-t border-line px-3 py-2">
          {isLive ? (
            <Button disabled={isCancelling} onClick={() => void cancelRun()}>
              {words.cancel}
            </Button>
          ) : (
            <Button look="main" onClick={begin}>
              {words.run}
              <Kbd keys="mod ↵" className="text-current! max-sm:hidden" />
            </Button>
          )}
          <ReachChooser reach={reach} onChange={(next) => keep({ reach: next })} />
          <span className="ms-auto flex">
            <MenuRoot>
              <MenuTrigger asChild>
                <Button look="quiet">
                  {words.examples}
                  <ChevronDown size={14} className="text-mute" aria-hidden />
                </Button>
              </MenuTrigger>
              <MenuContent align="end">
                {examples.map((example) => (
                  <MenuItem key={example.key} onSelect={() => show(example)}>
                    {words.example[example.key]}
                  </MenuItem>
                ))}
              </MenuContent>
            </MenuRoot>
            <Button look="quiet" onClick={clear}>
              {words.clear}
            </Button>
          </span>
        </div>
      </div>
      <div className="flex min-h-0 min-w-0 grow flex-col border-line lg:border-s max-lg:shrink-0 max-lg:border-t">
        <Outcome onGoTo={(line, column) => editor.current?.goTo(line, column)} onAllow={allow} />
      </div>
    </div>
  )
}

/** Asked of the server; when it cannot say, nothing is marked. */
async function check(code: string) {
  if (code.trim() === '') return []
  const { sessionId } = kept.get().reach
  const found = await codeApi.check(code, sessionId, AbortSignal.timeout(20_000)).catch(() => undefined)
  return found?.diagnostics ?? []
}

/** Errors stand at their line, as long as the code is the one that ran. */
function markError(editor: EditorHandle | null): void {
  const { phase, result, code } = run.get()
  if (phase === 'ended' && result?.error && code === kept.get().code)
    editor?.mark(placesOf(result.error.details, result.error.message))
}

function offerUndo(editor: EditorHandle | null): void {
  const { code, reach } = kept.get()
  if (code.trim() === '' || examples.some((example) => example.code === code)) return
  toast(words.cleared, {
    action: {
      label: words.undo,
      run: () => {
        keep({ reach })
        editor?.replace(code)
      },
    },
  })
}
