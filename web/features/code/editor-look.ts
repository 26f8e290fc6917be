import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

const mono = 'var(--font-mono)'

const look = EditorView.theme({
  '&': { blockSize: '100%', color: 'var(--text)', backgroundColor: 'transparent', fontSize: '13px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: mono, lineHeight: '20px', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)', paddingBlock: '8px' },
  '.cm-cursor': { borderInlineStartColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--mute)', border: 'none' },
  '.cm-lineNumbers .cm-gutterElement': { paddingInline: '12px 6px', minInlineSize: '34px' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--raise) 55%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent', color: 'var(--soft)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--queue) 30%, transparent)',
  },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--raise)', outline: '1px solid var(--edge)' },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'transparent', color: 'var(--stop)' },
  '.cm-placeholder': { color: 'var(--mute)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--panel)',
    border: '1px solid var(--edge)',
    borderRadius: '6px',
    boxShadow: '0 1px 2px var(--shade), 0 12px 32px var(--shade)',
  },
  '.cm-tooltip.cm-completionInfo': {
    inlineSize: 'max-content',
    maxInlineSize: 'min(420px, 80vw)',
    maxBlockSize: '300px',
    overflow: 'auto',
    padding: '6px 8px',
    color: 'var(--soft)',
    whiteSpace: 'pre-wrap',
    overflowWrap: 'anywhere',
    fontSize: '12px',
    lineHeight: '17px',
  },
  '.cm-tooltip-autocomplete > ul': { fontFamily: mono, fontSize: '12px', maxBlockSize: '240px' },
  '.cm-tooltip-autocomplete > ul > li': {
    display: 'flex',
    gap: '8px',
    alignItems: 'baseline',
    padding: '3px 8px',
    maxInlineSize: 'min(520px, 92vw)',
  },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--raise)',
    color: 'var(--text)',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '650' },
  '.cm-completionDetail': {
    marginInlineStart: 'auto',
    color: 'var(--mute)',
    fontStyle: 'normal',
    fontSize: '11px',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    whiteSpace: 'nowrap',
  },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--stop) 1px',
    textUnderlineOffset: '3px',
  },
  '.cm-lintPoint-error::after': { borderBottomColor: 'var(--stop)' },
  '.cm-gutter-lint': { inlineSize: '14px' },
  '.cm-lint-marker': { inlineSize: '8px', blockSize: '8px', marginBlockStart: '6px' },
  '.cm-lint-marker-error': { content: 'none', backgroundColor: 'var(--stop)', borderRadius: '1.5px' },
  '.cm-diagnostic': {
    padding: '5px 8px',
    maxInlineSize: 'min(560px, 90vw)',
    whiteSpace: 'pre-wrap',
    overflowWrap: 'anywhere',
    fontSize: '12px',
  },
  '.cm-diagnostic-error': { borderInlineStart: '3px solid var(--stop)' },
  '@media (max-width: 640px)': { '&': { fontSize: '16px' } },
})

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.controlKeyword, tags.modifier], color: 'var(--magenta)' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: 'var(--green)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--cyan)' },
  { tag: [tags.typeName, tags.className], color: 'var(--cyan)' },
  {
    tag: [
      tags.function(tags.variableName),
      tags.function(tags.propertyName),
      tags.function(tags.definition(tags.variableName)),
    ],
    color: 'var(--blue)',
  },
  { tag: tags.comment, color: 'var(--mute)', fontStyle: 'italic' },
  { tag: [tags.operator, tags.punctuation, tags.bracket], color: 'var(--soft)' },
  { tag: tags.invalid, color: 'var(--stop)' },
])

/** The tokens of the page, so that both themes are right. */
export const editorLook = [look, syntaxHighlighting(colours)]
