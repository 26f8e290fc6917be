// A program that speaks MCP and has everything that the conformance scenarios ask for. `modern` or `legacy` says which protocol it
// speaks; what it asks for is written once, and reaches clients of either.
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { scenarioServer } from './scenario-server.ts'

if (process.argv[2] === 'legacy') await scenarioServer().connect(new StdioServerTransport())
else serveStdio(scenarioServer, { legacy: 'reject' })
