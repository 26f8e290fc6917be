import { join } from 'node:path'

/** Two attempts have to fit into the patience that a connection has with a program that ends at its first word. */
const usualLoadMs = 8_000

/** The program that serves the tools of a LangChain module by MCP over stdio. It is foreign code: it never runs in the worker. */
export function langchainProgram(
  modulePath: string,
  longestLoadMs = usualLoadMs,
): { command: string; args: string[] } {
  const program = join(import.meta.dirname, 'serve.ts')
  return { command: process.execPath, args: [program, modulePath, String(longestLoadMs)] }
}
