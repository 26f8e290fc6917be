import { useState } from 'react'
import type { SourceTransport } from '../../../src/contract/source.ts'
import { toolStrings as words } from '../../strings/tool.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Pick } from '../../ui/field.tsx'
import { toast } from '../../ui/toast.tsx'
import { fieldLook } from '../approval/field-look.ts'
import { toolApi } from './tool-api.ts'
import { commandWords, variablesIn } from './command-words.ts'
import { looksLikeSnippet } from './config-snippet.ts'
import { readSourcesAgain } from './read-sources-again.ts'

const transports: SourceTransport[] = ['stdio', 'http', 'sse', 'websocket', 'openapi', 'langchain']
const ways = ['none', 'bearer', 'oauth'] as const
type Way = (typeof ways)[number]

const places = {
  stdio: { label: words.command, hint: words.commandHint },
  http: { label: words.address, hint: words.addressHint },
  sse: { label: words.address, hint: words.addressHint },
  websocket: { label: words.address, hint: 'wss://host/mcp' },
  openapi: { label: words.document, hint: words.documentHint },
  langchain: { label: words.module, hint: words.moduleHint },
} as const satisfies Record<SourceTransport, { label: string; hint: string }>

interface Props {
  onClose: () => void
  /** Somebody has pasted more than fits into a field. */
  onSnippet: (written: string) => void
}

/** Adds a source: what it is, where it is, and how it lets us in. */
export function SourceForm({ onClose, onSnippet }: Props) {
  const [name, setName] = useState('')
  const [transport, setTransport] = useState<SourceTransport>('stdio')
  const [place, setPlace] = useState('')
  const [way, setWay] = useState<Way>('none')
  const [token, setToken] = useState('')
  const [variables, setVariables] = useState('')
  const [isAdding, setAdding] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const isLocal = transport === 'stdio' || transport === 'langchain'
  const isReady = !isAdding && name.trim() !== '' && place.trim() !== ''

  const add = async () => {
    if (!isReady) return
    setAdding(true)
    setProblem(null)
    try {
      const config = {
        transport,
        ...whereOf(transport, place.trim()),
        ...(isLocal && variables.trim() && { env: variablesIn(variables) }),
        ...(!isLocal && way === 'bearer' && { auth: { type: way, token: token.trim() } }),
        ...(!isLocal && way === 'oauth' && { auth: { type: way } }),
      }
      const added = await toolApi.addSource({ name: name.trim(), config })
      toast(words.added(added.name))
      await readSourcesAgain()
      onClose()
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
      setAdding(false)
    }
  }
  return (
    <form
      className="flex min-h-0 flex-col"
      onPaste={(event) => {
        const pasted = event.clipboardData.getData('text')
        if (!looksLikeSnippet(pasted)) return
        event.preventDefault()
        onSnippet(pasted)
      }}
      onSubmit={(event) => {
        event.preventDefault()
        void add()
      }}
    >
      <div className="flex min-h-0 flex-col gap-3 overflow-y-auto px-4 pb-3">
        <Field label={words.name}>
          <input
            dir="ltr"
            className={fieldLook}
            value={name}
            maxLength={32}
            placeholder={words.nameHint}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        <Field label={words.kind}>
          <Pick
            value={transport}
            choices={transports}
            nameOf={(one) => words.kinds[one]}
            onChoose={setTransport}
          />
          <span className="text-small text-mute">{words.what[transport]}</span>
        </Field>
        <Field label={places[transport].label}>
          <input
            dir="ltr"
            className={`${fieldLook} font-mono`}
            value={place}
            maxLength={10_000}
            placeholder={places[transport].hint}
            onChange={(event) => setPlace(event.target.value)}
          />
        </Field>
        {isLocal && (
          <Field label={words.variables}>
            <textarea
              dir="ltr"
              rows={2}
              className={`${fieldLook} font-mono`}
              value={variables}
              onChange={(event) => setVariables(event.target.value)}
            />
          </Field>
        )}
        {!isLocal && (
          <Field label={words.letsIn}>
            <Pick value={way} choices={ways} nameOf={(one) => words.auth[one]} onChoose={setWay} />
          </Field>
        )}
        {!isLocal && way === 'bearer' && (
          <Field label={words.token}>
            <input
              dir="ltr"
              type="password"
              autoComplete="off"
              className={fieldLook}
              value={token}
              onChange={(event) => setToken(event.target.value)}
            />
            <span className="text-small text-mute">{words.tokenHint}</span>
          </Field>
        )}
        {problem && (
          <p role="alert" className="wrap-anywhere text-stop">
            {problem}
          </p>
        )}
      </div>
      <div className="flex justify-end border-t border-line px-4 py-3">
        <Button look="main" type="submit" disabled={!isReady}>
          {isAdding ? words.adding : words.submit}
        </Button>
      </div>
    </form>
  )
}

function whereOf(transport: SourceTransport, place: string): object {
  if (transport === 'langchain') return { module: place }
  if (transport !== 'stdio') return { url: place }
  const [command = '', ...args] = commandWords(place)
  return { command, args }
}
