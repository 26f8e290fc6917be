import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { javascript } from '@codemirror/lang-javascript'
import { bracketMatching, indentOnInput } from '@codemirror/language'
import { forceLinting, lintGutter, lintKeymap, linter, setDiagnostics } from '@codemirror/lint'
import { EditorState, Prec } from '@codemirror/state'
import type { Text } from '@codemirror/state'
import {
  EditorView,
  drawSelection,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { useEffect, useImperativeHandle, useRef } from 'react'
import type { Ref } from 'react'
import type { Diagnostic } from '../../../src/contract/execute.ts'
import { codeStrings as words } from '../../strings/code.ts'
import { ApiTypes } from './api-types.ts'
import { completeFrom } from './complete.ts'
import { editorLook } from './editor-look.ts'
import { positionOf, shownProblems } from './editor-problems.ts'
import { typedOver } from './typed-over.ts'

export interface EditorHandle {
  /** Puts the cursor there. */
  goTo: (line: number, column: number) => void
  /** Marks what went wrong when it ran, until it is changed. */
  mark: (problems: readonly Diagnostic[]) => void
  /** Puts other code in its place; that can be undone. */
  replace: (code: string) => void
  focus: () => void
}

interface Props {
  ref: Ref<EditorHandle>
  code: string
  onChange: (code: string) => void
  onRun: () => void
  /** The generated declarations. */
  api: string | undefined
  check: (code: string) => Promise<readonly Diagnostic[]>
}

const settledMs = 500

/** The editor. What is written in it is its own; what happens outside comes by its handle. */
export function CodeEditor({ ref, code, onChange, onRun, api, check }: Props) {
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const types = useRef<ApiTypes>(undefined)
  const hands = useRef({ onChange, onRun, check })
  useEffect(() => {
    hands.current = { onChange, onRun, check }
  })
  // A check that was under way when the code had run must not take away what went wrong then.
  const ran = useRef<{ code: string; problems: readonly Diagnostic[] }>(undefined)
  useEffect(() => {
    const lint = async (doc: Text) => {
      const found = await hands.current.check(doc.toString())
      const marked = ran.current?.code === doc.toString() ? ran.current.problems : []
      return shownProblems(doc, found.length > 0 ? found : marked)
    }
    const made = new EditorView({
      parent: place.current!,
      state: EditorState.create({
        doc: code,
        extensions: [
          extensions,
          autocompletion({ override: [completeFrom(() => types.current)], icons: false }),
          linter(({ state }) => lint(state.doc), { delay: settledMs }),
          Prec.highest(
            keymap.of([
              {
                key: 'Mod-Enter',
                run: () => {
                  hands.current.onRun()
                  return true
                },
              },
              { key: 'Tab', run: acceptCompletion },
            ]),
          ),
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (docChanged) hands.current.onChange(state.doc.toString())
          }),
        ],
      }),
    })
    view.current = made
    return () => made.destroy()
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- it begins with the code, and is its own from then on
  }, [])
  useEffect(() => {
    if (api === undefined) return
    types.current = new ApiTypes(api)
    if (view.current) forceLinting(view.current)
  }, [api])
  useImperativeHandle(
    ref,
    () => ({
      ...handleOf(() => view.current!),
      mark(problems) {
        const { state } = view.current!
        ran.current = { code: state.doc.toString(), problems }
        view.current!.dispatch(setDiagnostics(state, shownProblems(state.doc, problems)))
      },
    }),
    [],
  )
  return <div ref={place} dir="ltr" data-code-editor className="min-h-0 grow overflow-hidden" />
}

const extensions = [
  lineNumbers(),
  lintGutter(),
  history(),
  drawSelection(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  javascript({ typescript: true }),
  editorLook,
  typedOver,
  EditorState.tabSize.of(2),
  EditorState.phrases.of(words.phrases),
  EditorView.lineWrapping,
  EditorView.contentAttributes.of({ 'aria-label': words.editor, spellcheck: 'false' }),
  keymap.of([...closeBracketsKeymap, ...completionKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap]),
]

const handleOf = (view: () => EditorView): Omit<EditorHandle, 'mark'> => ({
  goTo(line, column) {
    const { state } = view()
    view().dispatch({ selection: { anchor: positionOf(state.doc, line, column) }, scrollIntoView: true })
    view().focus()
  },
  replace(code) {
    view().dispatch({
      changes: { from: 0, to: view().state.doc.length, insert: code },
      selection: { anchor: 0 },
      scrollIntoView: true,
    })
    view().focus()
  },
  focus: () => view().focus(),
})
