import { join } from 'node:path'

/** The program that serves the tools of a LangChain module by MCP over stdio. It is foreign code: it never runs in the worker. */
export function langchainProgram(modulePath: string): { command: string; args: string[] } {
  return { command: process.execPath, args: [join(import.meta.dirname, 'serve.ts'), modulePath] }
}
