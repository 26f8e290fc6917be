import { z } from 'zod'
import { Principal } from './access.ts'
import { AgentAdapter, AgentPreset } from './agent.ts'
import { ApiQuery, CheckCode, CodeResult, CodeWaiting, ExecuteCode } from './execute.ts'
import { OutsideSession } from './session.ts'
import { ModelProvider } from './settings.ts'
import { AddSource, EditSource, ImportSources } from './source.ts'
import { TerminalWindow } from './terminal.ts'
import { Id } from './text.ts'
import { CallTool, ToolsQuery } from './tool.ts'
import { ToolName } from './workspace-tool.ts'
import { WorkspaceDriver, WorkspaceSource } from './workspace.ts'

// What web asks of the worker on another machine, or on its own, over the internal API.

/** `POST /check-agent`: are this program and this folder ones that the machine allows? */
export const CheckAgent = z.object({
  adapter: AgentAdapter,
  binaryPath: z.string().nullable(),
  workingDir: z.string().nullable(),
})
export type CheckAgent = z.infer<typeof CheckAgent>

/** The program as it is called (a link may be what chooses its version), the folder by its real path. */
export const CheckedAgent = z.object({ binaryPath: z.string().nullable(), workingDir: z.string().nullable() })
export type CheckedAgent = z.infer<typeof CheckedAgent>

/** `POST /presets`: the known coding agents as they are on the machine, or one of them, or a program in its place. */
export const AskPresets = z.object({ key: AgentPreset.optional(), binaryPath: z.string().optional() })
export type AskPresets = z.infer<typeof AskPresets>

/** `POST /discovery/scan` takes nothing and answers with a ScanProgress. `POST /discovery/describe`: what a program can be asked for. */
export const AskDescribe = z.object({ id: Id, model: z.boolean(), ifNeverDone: z.boolean() })
export type AskDescribe = z.infer<typeof AskDescribe>

/** `POST /discovery/confirm`: makes agents of them, all or none. */
export const AskConfirm = z.object({ ids: z.array(Id) })
export type AskConfirm = z.infer<typeof AskConfirm>

/** `POST /models/available` and `POST /models/check`: with `isFresh` the providers are asked again. */
export const AskModels = z.object({ isFresh: z.boolean() })
export type AskModels = z.infer<typeof AskModels>

/** `POST /models/choose`: which model is meant by a name, or by none. Refused when its key is missing, which is named. */
export const AskChoice = z.object({ model: z.string().nullable() })
export type AskChoice = z.infer<typeof AskChoice>
export const ChosenModel = z.object({ provider: ModelProvider, model: z.string(), name: z.string() })
export type ChosenModel = z.infer<typeof ChosenModel>

/** `POST /outside-sessions`: what the program of an agent has in its own history, in folders that the machine allows. */
export const AskOutside = z.object({ key: AgentPreset, envAllowlist: z.array(z.string()) })
export type AskOutside = z.infer<typeof AskOutside>

/** The folder by its real path. */
export const FoundOutside = OutsideSession.omit({ adoptedBy: true }).extend({ file: z.string() })
export type FoundOutside = z.infer<typeof FoundOutside>

/** `POST /outside-turns`: what was said in one of them. */
export const AskTurns = AskOutside.extend({ ref: z.string() })
export type AskTurns = z.infer<typeof AskTurns>

/** `POST /take-over` and `POST /hand-back`: a person wants a session, or is done with it. */
export const AskSession = z.object({ sessionId: Id, by: Principal })
export type AskSession = z.infer<typeof AskSession>

/** `POST /window`: what is to be shown of a session, or of a workspace. A shell that is not there yet is opened. */
export const AskWindow = z.object({
  sessionId: Id.optional(),
  workspaceId: Id.optional(),
  window: TerminalWindow,
})
export type AskWindow = z.infer<typeof AskWindow>

export const FoundWindow = z.object({
  /** The terminal in the machine's private folder; null: there is none, and what is shown is the session's log. */
  terminal: z.string().nullable(),
  takenOver: z.boolean(),
})
export type FoundWindow = z.infer<typeof FoundWindow>

/** What a token of the terminal opens, as web signs it and the terminal of that machine reads it. */
export const TerminalGrant = z.object({
  machineId: z.string(),
  sessionId: Id.optional(),
  workspaceId: Id.optional(),
  window: TerminalWindow,
  readOnly: z.boolean(),
  /** The page that asked for it, which is the only one to use it; none: no page did. */
  origin: z.string().optional(),
  /** With what its asker came in: once that is worth nothing, neither is this, nor what it has opened. */
  tokenId: Id,
})
export type TerminalGrant = z.infer<typeof TerminalGrant>

export const OutsideTurn = z.object({
  role: z.enum(['user', 'assistant']),
  text: z.string(),
  at: z.string().nullable(),
})
export type OutsideTurn = z.infer<typeof OutsideTurn>

export const FoundTurns = z.object({
  session: FoundOutside,
  turns: z.array(OutsideTurn),
  /** How many earlier ones were left out, because all of them would be too much. */
  leftOut: z.int(),
  /** How far the history was read. */
  mark: z.string().nullable(),
})
export type FoundTurns = z.infer<typeof FoundTurns>

/** `POST /drivers`. */
export const AskDrivers = z.object({ fresh: z.boolean().default(false) })
export type AskDrivers = z.infer<typeof AskDrivers>

/** `POST /folders`: what may become a workspace, or one path of it. */
export const AskFolders = z.object({ path: z.string().optional() })
export type AskFolders = z.infer<typeof AskFolders>

/** `POST /check-workspace`: may this folder be one, or can this driver be had? Answers where its files will be. */
export const CheckWorkspace = z.object({
  id: Id,
  driver: WorkspaceDriver,
  root: z.string().nullable(),
  source: WorkspaceSource.nullable(),
})
export type CheckWorkspace = z.infer<typeof CheckWorkspace>

export const CheckedWorkspace = z.object({ root: z.string(), name: z.string() })
export type CheckedWorkspace = z.infer<typeof CheckedWorkspace>

/**
 * `POST /tool?…` with these, and the input as JSON for a body: what is in the workspace of a session is asked for something. The
 * answer is `{data}`, or NDJSON of CommandPiece for `stream`. The input is checked by web, the answer too.
 */
export const AskTool = z.object({
  sessionId: Id,
  /** None: the session has not been anywhere yet. */
  workspaceId: Id.optional(),
  /** As long as it is the same, so is what there is to know of the workspace. */
  stamp: z.string().optional(),
  tool: z.enum([...ToolName.options, 'stream', 'health', 'app']),
  limitMs: z.coerce.number(),
})
export type AskTool = z.infer<typeof AskTool>

/** `POST /workspace-verb`: what the machine does with one of its workspaces, for somebody who may. */
export const AskWorkspace = z.object({
  workspaceId: Id,
  by: Principal,
  verb: z.enum([
    'prepare',
    'stop',
    'diff',
    'commit',
    'merge',
    'archive',
    'trash',
    'restore',
    'forget',
    'measure',
  ]),
  input: z.unknown(),
})
export type AskWorkspace = z.infer<typeof AskWorkspace>

/** `POST /archives`, `/archive` (its bytes) and `/remove-archive`: what is kept of workspaces on the machine. */
export const AskArchive = z.object({ name: z.string(), by: Principal })
export type AskArchive = z.infer<typeof AskArchive>

/** `POST /disk`: what only the machine itself can tell of it. */
export const DiskOnMachine = z.object({ archives: z.int(), freeBytes: z.int() })
export type DiskOnMachine = z.infer<typeof DiskOnMachine>

/** `POST /open-preview`: opens the workspace, and starts its app if that is what is to be seen on the port. */
export const AskPreview = z.object({ workspaceId: Id, port: z.int() })
export type AskPreview = z.infer<typeof AskPreview>

/** `POST /prune`: what can go, and goes unless it is only asked for. */
export const AskPrune = z.object({ dryRun: z.boolean(), by: Principal })
export type AskPrune = z.infer<typeof AskPrune>

// The registry of a machine. Its MCP endpoint is asked as it is asked at web: `/mcp` and `/mcp/raw/…`, with who asks in the header
// `x-signalbox-principal` (JSON, base64url), which web alone sets.

/** `POST /tools`: what this caller is offered here. */
export const AskTools = z.object({ by: Principal, query: ToolsQuery })
export type AskTools = z.infer<typeof AskTools>

/** `POST /tools/call`, answered with `{data: ToolAnswer}`. */
export const AskCall = z.object({
  by: Principal,
  name: z.string(),
  ...CallTool.shape,
  /** The code of a run on another machine calls; what a person has to be asked about is asked there. */
  inCode: z
    .object({
      runId: Id,
      call: z.int(),
      consent: z.object({ by: z.string(), isOwner: z.boolean(), inputHash: z.string() }).optional(),
    })
    .optional(),
})
export type AskCall = z.infer<typeof AskCall>

/** `POST /tools/accept`: its definition, as it is now, counts. */
export const AskAccept = z.object({ by: Principal, name: z.string() })
export type AskAccept = z.infer<typeof AskAccept>

/** `POST /sources/add`. The secrets are encrypted here, and the row is written here. */
export const AskAddSource = z.object({ by: Principal, ...AddSource.shape })
export type AskAddSource = z.infer<typeof AskAddSource>

/** `POST /sources/edit`, `/sources/remove`, `/sources/authorize`, `/sources/revoke` (what an upstream gave us for this person). */
export const AskSource = z.object({
  by: Principal,
  name: z.string(),
  edit: EditSource.optional(),
  /** Where a person comes back to from an issuer, and where issuers can read who we are, if they can reach us. */
  redirectUrl: z.string().optional(),
  clientMetadataUrl: z.string().optional(),
})
export type AskSource = z.infer<typeof AskSource>

/** `POST /sources/import`. */
export const AskImport = z.object({ by: Principal, ...ImportSources.shape })
export type AskImport = z.infer<typeof AskImport>

/** `POST /sources/health`. */
export const AskHealth = z.object({ by: Principal })
export type AskHealth = z.infer<typeof AskHealth>

/** `POST /sources/authorized`: somebody says that they are back from an upstream, with what its address had. */
export const AskAuthorized = z.object({
  by: Principal,
  state: z.string(),
  parameters: z.record(z.string(), z.string()),
})
export type AskAuthorized = z.infer<typeof AskAuthorized>

// Code mode of a machine.

/** `POST /code/execute`, answered with `{data: CodeAnswer}`; `POST /code/stream`, answered with NDJSON of CodeLine. */
export const AskExecute = z.object({ by: Principal, requestId: Id, ...ExecuteCode.shape })
export type AskExecute = z.infer<typeof AskExecute>

/** It has ended, or it is frozen until a person answers. */
export const CodeAnswer = z.union([z.object({ result: CodeResult }), z.object({ waiting: CodeWaiting })])
export type CodeAnswer = z.infer<typeof CodeAnswer>

/** `POST /code/cancel`: `{data: {isCancelled}}`. */
export const AskCancelCode = z.object({ by: Principal, requestId: Id })
export type AskCancelCode = z.infer<typeof AskCancelCode>
export const CancelledCode = z.object({ isCancelled: z.boolean() })

/** `POST /code/check`: `{data: CheckedCode}`. */
export const AskCheck = z.object({ by: Principal, ...CheckCode.shape })
export type AskCheck = z.infer<typeof AskCheck>

/** `POST /tools/tokens`: `{data: CodeTokens}`. */
export const AskTokens = z.object({ by: Principal })
export type AskTokens = z.infer<typeof AskTokens>

/** `POST /code/api`: the API of their tools, `{data: TypeScript}`. */
export const AskApi = z.object({ by: Principal, query: ApiQuery })
export type AskApi = z.infer<typeof AskApi>
