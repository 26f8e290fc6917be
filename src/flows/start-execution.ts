import type { Principal } from '#contract/access.ts'
import type { Agent } from '#contract/agent.ts'
import type { Capability } from '#contract/capability.ts'
import { BOARD_STREAM } from '#contract/event.ts'
import type { Execution, StartExecution } from '#contract/execution.ts'
import type { Task } from '#contract/task.ts'
import { lockAgent } from '#db/agents.ts'
import { findCapability } from '#db/capabilities.ts'
import { appendEvents, boardEvent, lockStream, tellBoard } from '#db/events.ts'
import { asExecution, asExecutionOnBoard, countLive, insertExecution } from '#db/executions.ts'
import type { HandOver } from '#db/hand-over.ts'
import type { Tx } from '#db/pool.ts'
import { insertSession, latestExecutionIn, spentIn, updateSession } from '#db/sessions.ts'
import type { SessionRow } from '#db/sessions.ts'
import { depthOfSession } from '#db/spawns.ts'
import type { WorkspaceRow } from '#db/workspaces.ts'
import { personBehind } from '#domain/access.ts'
import { checkArgs } from '#domain/args-schema.ts'
import { takesPrompt } from '#domain/capability.ts'
import { dangerOf } from '#domain/danger.ts'
import {
  depthBelowExecution,
  isDangerous,
  leastDanger,
  needsApproval,
  priorityOf,
  queueOf,
  titleOf,
} from '#domain/execution.ts'
import { Problem, bodyMisfit } from '#domain/problem.ts'
import { argvOf, slotValues } from '#domain/template.ts'
import { checkWords, isContinuation, isForkToMake, isTurn, limitsOf, promptOf } from '#domain/turn.ts'
import type { Spent } from '#domain/turn.ts'
import { newId } from '#lib/id.ts'
import type { AskingRules } from './ask-approval.ts'
import { askDanger } from './ask-danger.ts'
import { editTask } from './edit-task.ts'
import { theNamed } from './find-task.ts'
import { messageEvent } from './message-event.ts'
import { theFreeSession, theParent, theWorkspaceFor } from './find-session.ts'

const usualPatienceMs = 86_400_000
const nothing = { depth: 0, spent: { costUsd: 0, tokens: 0 } }

/** What was read before in the same transaction. */
export interface Known {
  /** Theirs and at rest, with its stream locked. */
  session?: SessionRow
  /** Locked. */
  agent?: Agent | undefined
  /** Of the session. */
  depth?: number
  spent?: Spent
  /** Where its last turn was. */
  workspace?: WorkspaceRow | undefined
}

interface StartRules extends Partial<Pick<AskingRules, 'approvalExpiresMs'>> {
  /** A person is asked first, although it is nothing dangerous. */
  needsYes?: boolean
  /** What a client calls the message that it begins with. */
  messageId?: string | undefined
  known?: Known & { capability: Capability }
}

/**
 * Queues one turn of work. The machine hears of it when the transaction commits; of something dangerous, when somebody has
 * said yes to it.
 */
export async function startExecution(
  tx: Tx,
  by: Principal,
  handOver: Pick<HandOver, 'send'>,
  wanted: StartExecution,
  { approvalExpiresMs = usualPatienceMs, needsYes = false, messageId, known }: StartRules = {},
): Promise<Execution> {
  // Before anything is locked: a schema may take its time.
  const named = known?.capability ?? (await theNamedCapability(tx, wanted.capabilityId))
  const args = checkArgs(named.argsSchema, wanted.args)
  const parent = wanted.parentExecutionId ? await theParent(tx, by, wanted.parentExecutionId) : null
  const continued = parent && isContinuation(parent, named) ? parent.sessionId : undefined
  const sessionId = wanted.sessionId ?? continued
  await lockStream(tx, BOARD_STREAM)
  if (sessionId) await lockStream(tx, sessionId)
  const { agent, capability } = await theAsked(tx, named, known?.agent)
  const task = wanted.taskId ? await theNamed(tx, 'taskId', wanted.taskId) : null
  if (wanted.prompt !== undefined && !takesPrompt(capability))
    throw bodyMisfit('prompt', `${agent.name} · ${capability.key} has no {{prompt}} for it to go to`)
  const words = wordsFor(agent, capability, { ...wanted, args }, task)
  const dangerLevel = Math.max(capability.dangerLevel, needsYes ? leastDanger : 0)
  const danger = isDangerous(dangerLevel) && dangerOf(agent, capability, { ...wanted, args }, task)
  const waits = needsYes || needsApproval(by, dangerLevel, wanted.confirm)
  await checkLimit(tx, agent)
  const isNextTurn = parent !== null && parent.sessionId === sessionId
  const going = sessionId ? await theFreeSession(tx, by, sessionId, agent, known?.session) : undefined
  // Whoever goes on in a session does not come up by that.
  const [{ depth: reached, spent }, workspaceId] = await Promise.all([
    soFarIn(tx, going, known),
    theWorkspaceFor(tx, by, agent, wanted.workspaceId ?? placeOf(task, going), going, known?.workspace),
  ])
  const depth = Math.max(isNextTurn ? parent.depth : depthBelowExecution(parent), reached)
  if (going) await nameSession(tx, going, agent, capability, wanted.prompt)
  const session = going ?? (await openSession(tx, by, wanted, { agent, capability, task, workspaceId }))
  const id = newId()
  if (words !== undefined) limitsOf(agent, spent)
  const asked =
    words === undefined ? [] : [messageEvent(id, { text: words, files: wanted.files, messageId }, by)]
  const queued = { type: 'data-status', payload: { status: 'queued' }, executionId: id }
  const appended = appendEvents(tx, session.id, [queued, ...asked])
  appended.catch(() => undefined) // what follows fails with it
  const row = await insertExecution(
    tx,
    {
      id,
      sessionId: session.id,
      taskId: task?.id ?? null,
      agentId: agent.id,
      agentName: agent.name,
      capabilityId: capability.id,
      capabilityKey: capability.key,
      machineId: agent.machineId,
      workspaceId,
      queue: queueOf(agent.kind),
      priority: priorityOf(task),
      status: 'queued',
      args,
      prompt: wanted.prompt ?? null,
      files: wanted.files,
      // Should the agent begin another one, it says so.
      sessionRef: words === undefined ? null : session.sessionRef,
      fork: words !== undefined && agent.adapter !== 'chat' && isForkToMake(session),
      parentExecutionId: parent?.id ?? null,
      depth,
      waitingApprovals: waits ? 1 : 0,
      createdBy: by.id,
    },
    asked.length,
  )
  const execution = asExecutionOnBoard(row)
  const told = tellBoard(tx, boardEvent('execution.queued', { execution, by: by.id }, task?.id))
  const isPlain = task === null && !danger && !waits
  if (isPlain) await Promise.all([appended, told, handOver.send(tx, row)])
  if (isPlain) return asExecution(row)
  await Promise.all([appended, told])
  if (task?.status === 'todo') await editTask(tx, by, task.id, { status: 'in_progress' })
  const expiresAt = new Date(Date.now() + approvalExpiresMs)
  if (danger) await askDanger(tx, row, danger, { dangerLevel, expiresAt, grantedBy: waits ? undefined : by })
  if (!waits) await handOver.send(tx, row)
  return asExecution(row)
}

/** How deep a session is, and what it has spent. */
async function soFarIn(
  tx: Tx,
  session: SessionRow | undefined,
  known: Known = {},
): Promise<{ depth: number; spent: Spent }> {
  if (!session) return nothing
  if (known.depth !== undefined && known.spent) return { depth: known.depth, spent: known.spent }
  const [depth, spent] = await Promise.all([depthOfSession(tx, session.id), spentIn(tx, session.id)])
  return { depth, spent }
}

async function theNamedCapability(tx: Tx, id: string): Promise<Capability> {
  const capability = await findCapability(tx, id)
  if (!capability) throw bodyMisfit('capabilityId', `there is no capability ${id}`)
  return capability
}

type Placed = Agent & { machineId: string }

/** The agent, locked, with what is asked of it: neither can go away before this is done. */
async function theAsked(
  tx: Tx,
  named: Capability,
  locked: Agent | undefined,
): Promise<{ agent: Placed; capability: Capability }> {
  const { id, agentId } = named
  const [agent, capability] =
    locked?.id === agentId
      ? [locked, named]
      : await Promise.all([lockAgent(tx, agentId), theNamedCapability(tx, id)])
  if (!agent) throw new Error(`Capability ${id} has no agent`)
  if (!agent.active) throw new Problem('agent_inactive', `${agent.name} is not active`)
  const { machineId } = agent
  if (machineId === null || (agent.adapter !== 'chat' && agent.binaryPath === null))
    throw new Problem('machine_unavailable', `${agent.name} has no machine or no program yet: edit it first`)
  return { agent: { ...agent, machineId }, capability }
}

/** The words for an agent that is talked to; nothing for a command, which is only seen to be one that can be filled. */
function wordsFor(
  agent: Agent,
  capability: Capability,
  { args, prompt, files }: Pick<StartExecution, 'args' | 'prompt' | 'files'>,
  task: Task | null,
): string | undefined {
  if (isTurn(capability)) {
    if (agent.adapter === 'template')
      throw new Problem('adapter_unavailable', `${agent.name} is a command: it cannot be asked in words`)
    if (prompt !== undefined) checkWords('prompt', prompt, files)
    return promptOf(capability, args, prompt, task)
  }
  if (agent.adapter === 'chat')
    throw new Problem(
      'adapter_unavailable',
      `${agent.name} is a model: it is asked in words, and runs no commands`,
    )
  if (files.length > 0) throw bodyMisfit('files', 'a command takes none')
  argvOf(agent, capability, slotValues(args, prompt, task))
  return undefined
}

async function checkLimit(tx: Tx, { id, name, maxConcurrent }: Agent): Promise<void> {
  if (maxConcurrent === null || (await countLive(tx, id)) < maxConcurrent) return
  throw new Problem('agent_at_limit', `${name} may have ${maxConcurrent} queued and running, and has them`, {
    maxConcurrent,
    retryAfterSec: 5,
  })
}

/** One that was opened without a title of its own is called after what is said in it first. */
async function nameSession(
  tx: Tx,
  { id, title }: SessionRow,
  agent: Agent,
  capability: Capability,
  prompt: string | undefined,
): Promise<void> {
  if (title !== agent.name || !prompt?.trim() || (await latestExecutionIn(tx, id))) return
  await updateSession(tx, id, { title: titleOf(null, prompt, agent.name, capability.key) })
}

interface Opening {
  agent: Agent
  capability: Capability
  task: Task | null
  workspaceId: string | null
}

function openSession(tx: Tx, by: Principal, { prompt }: StartExecution, about: Opening): Promise<SessionRow> {
  const { agent, capability, task, workspaceId } = about
  return insertSession(tx, {
    id: newId(),
    title: titleOf(task, prompt, agent.name, capability.key),
    agentId: agent.id,
    workspaceId,
    taskId: task?.id ?? null,
    createdBy: personBehind(by),
  })
}

/** A session goes on where it is, whatever the task says. */
const placeOf = (task: Task | null, going: SessionRow | undefined): string | undefined =>
  going ? undefined : (task?.workspaceId ?? undefined)
