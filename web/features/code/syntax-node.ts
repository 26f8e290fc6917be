import type { syntaxTree } from '@codemirror/language'

export type SyntaxNode = ReturnType<ReturnType<typeof syntaxTree>['resolveInner']>
