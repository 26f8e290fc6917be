import { pathToFileURL } from 'node:url'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { describedTools } from './described-tools.ts'
import { findTools } from './find-tools.ts'
import { keepOutputToOurselves } from './own-output.ts'
import { serverOf } from './server-of.ts'

// A program of its own: `serve.ts MODULE MILLISECONDS` offers the tools of a LangChain module by MCP, over its standard input and output.

/** One line for whoever reads why it ended; the stack is the module's own business. */
function leave(why: string): never {
  process.stderr.write(`${why.replaceAll(/\s+/g, ' ').slice(0, 500)}\n`)
  process.exit(1)
}
const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

const output = keepOutputToOurselves()
const [path, longestLoadMs] = process.argv.slice(2)
if (path === undefined) leave('No module is named')
process.on('uncaughtException', (error) => leave(`The module ${path} broke: ${wordsOf(error)}`))

const tooLate = setTimeout(
  () => leave(`The module ${path} did not load within ${Number(longestLoadMs) / 1_000} seconds`),
  Number(longestLoadMs),
)
const found = await import(pathToFileURL(path).href)
  .then((exported: Record<string, unknown>) => findTools(exported))
  .catch((error: unknown) => leave(`The module ${path} could not be loaded: ${wordsOf(error)}`))
clearTimeout(tooLate)
const { tools, told } = await describedTools(found, path)
for (const line of told) process.stderr.write(`${line}\n`)
if (tools.size === 0) {
  leave(`The module ${path} exports no tools: export them by name, as a list, or by a function getTools`)
}

serveStdio(() => serverOf(tools), { transport: new StdioServerTransport(process.stdin, output) })
// The module may have timers and connections of its own that would keep us here.
process.stdin.once('close', () => process.exit(0))
