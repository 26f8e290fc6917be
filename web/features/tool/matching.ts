import type { Tool } from '../../../src/contract/tool.ts'

/** The tools that have each of these words somewhere in their name, description or tags. */
export function matching(tools: readonly Tool[], sought: string): Tool[] {
  const words = sought.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return [...tools]
  return tools.filter(({ name, title = '', description, tags }) => {
    const told = `${name}\n${title}\n${description}\n${tags.join(' ')}`.toLowerCase()
    return words.every((word) => told.includes(word))
  })
}
