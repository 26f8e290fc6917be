import type {
  AddSource,
  Authorized,
  AuthorizeSource,
  EditSource,
  Source,
} from '../../../src/contract/source.ts'
import type { AcceptedTool, ToolAnswer, ToolListing } from '../../../src/contract/tool.ts'
import { data, send } from '../../api.ts'

/** Here and not among the others: the board comes without it. */
export const toolApi = {
  sources: (signal?: AbortSignal) => data(send<Source[]>('GET', '/mcp', signal && { signal })),
  addSource: (body: { name: AddSource['name']; config: object }) =>
    data(send<Source>('POST', '/mcp/add', { body })),
  editSource: (name: string, body: EditSource) =>
    data(send<Source>('PATCH', `/mcp/${encodeURIComponent(name)}`, { body })),
  removeSource: (name: string) => send<unknown>('DELETE', `/mcp/${encodeURIComponent(name)}`),
  retrySource: (name: string) => send<unknown>('POST', `/mcp/${encodeURIComponent(name)}/retry`),
  authorizeSource: (name: string) =>
    data(send<AuthorizeSource>('POST', `/mcp/${encodeURIComponent(name)}/authorize`)),
  comeBack: (query: string) => data(send<Authorized>('POST', '/mcp/callback', { body: { query } })),
  tools: (signal?: AbortSignal) => data(send<ToolListing>('GET', '/tools', signal && { signal })),
  callTool: (name: string, args: object, confirm: boolean) =>
    data(
      send<ToolAnswer>('POST', `/tools/${encodeURIComponent(name)}/call`, {
        body: { args, ...(confirm && { confirm }) },
      }),
    ),
  acceptedTool: (name: string, signal?: AbortSignal) =>
    data(send<AcceptedTool>('GET', `/tools/${encodeURIComponent(name)}/accepted`, signal && { signal })),
  acceptTool: (name: string) => send<unknown>('POST', `/tools/${encodeURIComponent(name)}/accept`),
}
