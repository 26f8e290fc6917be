import type { Tool } from '../../../src/contract/tool.ts'

/** By what it says of itself, and as its calls are asked about: one that says nothing may change things. */
export const toolDanger = ({ annotations }: Pick<Tool, 'annotations'>): number =>
  annotations.readOnlyHint ? 0 : annotations.destructiveHint ? 2 : 1
