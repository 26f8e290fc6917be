import type { CodeError, CodeResult, Diagnostic } from '../../../src/contract/execute.ts'
import { useStore } from '../../store.ts'
import { codeStrings as words } from '../../strings/code.ts'
import { Button } from '../../ui/button.tsx'
import { Signal } from '../../ui/signal.tsx'
import type { Aspect } from '../../ui/signal.tsx'
import { toast } from '../../ui/toast.tsx'
import { visibleText } from '../approval/visible-text.ts'
import { Asked } from './asked.tsx'
import { LogLines } from './log-lines.tsx'
import { Metrics } from './metrics.tsx'
import { run } from './run.ts'
import type { Run } from './run.ts'
import { TokensSaved } from './tokens-saved.tsx'
import { ValueTree } from './value-tree.tsx'

interface Props {
  onGoTo: (line: number, column: number) => void
  /** Nothing, where it is not known how to allow it. */
  onAllow: (capability: string) => (() => void) | undefined
}

/** What came of the run: while it runs, and after. */
export function Outcome({ onGoTo, onAllow }: Props) {
  const now = useStore(run)
  const { phase, result, problem } = now
  return (
    <section
      aria-label={words.outcome}
      className="flex min-h-0 min-w-0 grow flex-col gap-4 overflow-y-auto p-3"
    >
      <div className="flex min-h-7 flex-wrap items-center gap-x-4 gap-y-1">
        {phase === 'idle' ? (
          <span className="text-mute">{words.nothingYet}</span>
        ) : (
          <output data-run-state={stateOf(now)}>
            <Signal aspect={aspects[stateOf(now)]} word={words.status[stateOf(now)]} />
          </output>
        )}
        {result && <Metrics metrics={result.metrics} />}
      </div>
      {phase === 'idle' && <p className="max-w-100 text-soft">{words.nothingYetText}</p>}
      {now.approvals.length > 0 && <Asked approvals={now.approvals} />}
      {problem !== null && (
        <p role="alert" className="wrap-anywhere text-stop">
          {visibleText(problem)}
        </p>
      )}
      {result?.error && stateOf(now) === 'failed' && (
        <WentWrong error={result.error} onGoTo={onGoTo} onAllow={onAllow} />
      )}
      {result?.success && <Result result={result} />}
      {phase !== 'idle' && <LogLines logs={now.logs} isOver={phase === 'ended'} />}
      <TokensSaved />
    </section>
  )
}

type State = keyof typeof words.status

const aspects = {
  running: 'moving',
  waiting: 'waits',
  succeeded: 'done',
  failed: 'stopped',
  cancelled: 'off',
  cancelling: 'moving',
} as const satisfies Record<State, Aspect>

function stateOf({ phase, result, isCancelling }: Run): State {
  if (phase === 'waiting' && !isCancelling) return 'waiting'
  if (phase !== 'ended') return isCancelling ? 'cancelling' : 'running'
  if (result?.success) return 'succeeded'
  return result?.error?.details['cancelled'] === true ? 'cancelled' : 'failed'
}

function Result({ result: { result } }: { result: CodeResult }) {
  const copy = async () => {
    await navigator.clipboard.writeText(JSON.stringify(result, null, 2) ?? '')
    toast(words.copied)
  }
  return (
    <div>
      <div className="flex items-center">
        <h2 className="font-semibold">{words.result}</h2>
        {result !== undefined && (
          <Button
            look="quiet"
            className="ms-auto"
            aria-label={words.copyResult}
            onClick={() => void copy().catch(() => undefined)}
          >
            {words.copy}
          </Button>
        )}
      </div>
      {result === undefined ? (
        <p className="text-mute">{words.returnedNothing}</p>
      ) : (
        <div dir="ltr" data-result className="overflow-x-auto ps-4 font-mono text-small leading-5">
          <ValueTree value={result} />
        </div>
      )}
    </div>
  )
}

function WentWrong({ error: { message, code, details }, onGoTo, onAllow }: Props & { error: CodeError }) {
  const { capability } = details
  const allow = typeof capability === 'string' ? onAllow(capability) : undefined
  return (
    <div role="alert" data-error={code} className="flex flex-col items-start gap-1.5">
      <h2 className="font-semibold text-stop">{words.error}</h2>
      <p dir="auto" className="wrap-anywhere whitespace-pre-wrap">
        {visibleText(message)}
      </p>
      <ul className="flex flex-col gap-0.5">
        {placesOf(details).map(({ line, column, message: told }) => (
          <li key={`${line}:${column}:${told}`} className="text-small wrap-anywhere text-soft">
            <button
              type="button"
              className="me-2 rounded-small font-mono underline hover:text-text"
              onClick={() => onGoTo(line, column)}
            >
              {words.atLine(line)}
            </button>
            {told !== message && visibleText(told)}
          </li>
        ))}
      </ul>
      {allow && typeof capability === 'string' && (
        <Button onClick={allow}>{words.allow(visibleText(capability))}</Button>
      )}
    </div>
  )
}

/** Where in the code: what the checker found, or where it stood. */
export function placesOf(details: CodeError['details'], message = ''): Diagnostic[] {
  const { diagnostics, line, column } = details
  if (Array.isArray(diagnostics) && diagnostics.length > 0) return diagnostics as Diagnostic[]
  return typeof line === 'number' && line > 0
    ? [{ line, column: typeof column === 'number' ? column : 1, message }]
    : []
}
