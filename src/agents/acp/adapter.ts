import { basename } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { SessionFacts } from '#contract/agent-event.ts'
import type { TurnAsked } from '#contract/keeper.ts'
import { NotStarted } from '#lib/program.ts'
import { usualInterruptMs } from '../interrupt.ts'
import type { EnclosedAgent, Hands, SessionAdapter, SessionLaunch } from '../port.ts'
import { AgentProcess } from './agent-process.ts'
import { beginSession } from './begin.ts'
import { Choices, facts } from './choices.ts'
import { Conversation } from './conversation.ts'
import { Decoder, notice } from './decode.ts'
import { untilItCanLoad } from './gemini-minute.ts'
import { isObject, objectIn, textIn } from './json-value.ts'
import type { JsonObject } from './json-value.ts'
import { whyNotBegun } from './not-begun.ts'
import { quirksOf } from './quirks.ts'
import { AcpSession, choose } from './session.ts'
import { Meter } from './usage.ts'
import { Voice } from './voice.ts'

export interface Patience {
  /** Some download half of themselves at their first start. */
  openMs: number
  interruptMs: number
}

const usualPatience: Patience = { openMs: 120_000, interruptMs: usualInterruptMs }
const failedGraceMs = 1_000

export const acpAdapter: SessionAdapter = { open: (launch, hands) => openAcp(launch, hands) }

/** Rejects with NotStarted. */
export async function openAcp(
  launch: SessionLaunch,
  hands: Hands,
  patience: Patience = usualPatience,
): Promise<AcpSession> {
  const program = await hands.start({
    file: launch.program,
    argv: launch.argv,
    env: { ...extraEnv(launch.program), ...launch.env },
    cwd: launch.cwd,
    takesInput: true,
  })
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () =>
      late.reject(
        new NotStarted(`${launch.program} did not begin a session within ${patience.openMs / 1000} s.`),
      ),
    patience.openMs,
  )
  try {
    return await Promise.race([begin(launch, hands, program, patience), late.promise])
  } catch (error) {
    await program.end(failedGraceMs)
    throw error
  } finally {
    clearTimeout(timer)
  }
}

async function begin(
  launch: SessionLaunch,
  hands: Hands,
  program: EnclosedAgent,
  { interruptMs }: Patience,
): Promise<AcpSession> {
  const voice = new Voice()
  const process = new AgentProcess(
    program,
    // Between two turns nobody listens; the frames have it.
    async (output) => void (voice.isOpen && (await voice.tell([output]))),
    (line) => hands.frame('err', line),
  )
  const conversation = new Conversation(program, voice, hands)
  const { wire } = conversation
  let greeting: JsonObject = {}
  try {
    greeting = asObject(await wire.request('initialize', hello))
    const agentCapabilities = objectIn(greeting, 'agentCapabilities')
    const info = objectIn(greeting, 'agentInfo')
    const quirks = quirksOf(textIn(info, 'name'))
    const decoder = new Decoder(quirks)
    const choices = new Choices()
    conversation.understand({ decoder, choices, quirks })

    const { sessionId, began, note, leftOut, told } = await beginSession({
      turn: launch.turn,
      cwd: launch.cwd,
      capabilities: agentCapabilities,
      request: async (method, params) => {
        const { sessionRef } = launch.turn
        if (method === 'session/load' && sessionRef !== null && quirks.forgetsWithinMinute)
          await wait(await untilItCanLoad(launch.env, sessionRef))
        return wire.request(method, params)
      },
    })
    await conversation.settleOn(sessionId, began)
    const meter = new Meter(costBefore(began, launch.turn))
    const agentVersion = textIn(info, 'version')
    await voice.tell([
      ...facts({
        sessionRef: sessionId,
        began,
        ...(note !== undefined && { note }),
        ...(agentVersion !== undefined && { agentVersion }),
        ...choices.take(told),
      }),
      ...leftOut.flatMap((name) => notice(`This agent takes no tools over HTTP: ${name} was left out.`)),
    ])
    for (const what of ['model', 'mode'] as const) {
      const id = launch.turn[what]
      const reason = id === null ? undefined : await choose({ wire, voice, choices, sessionId }, what, id)
      if (reason !== undefined) throw new NotStarted(reason)
    }
    const { waiting } = conversation
    const { root } = launch.workspace
    const session = new AcpSession({
      sessionId,
      root,
      agentCapabilities,
      process,
      wire,
      voice,
      decoder,
      choices,
      meter,
      waiting,
      interruptMs,
    })
    conversation.listenFor(session, meter)
    return session
  } catch (error) {
    throw error instanceof NotStarted
      ? error
      : new NotStarted(await whyNotBegun(error, launch.program, greeting, process))
  }
}

const hello = {
  protocolVersion: 1,
  clientCapabilities: {
    fs: { readTextFile: false, writeTextFile: false },
    terminal: false,
    elicitation: { form: {} },
  },
  clientInfo: { name: 'signalbox', title: 'Signalbox', version: '1' },
}

/** Without this the real agent is a child of the one that we started, and outlives it. */
const extraEnv = (program: string): Record<string, string> =>
  basename(program) === 'gemini' ? { GEMINI_CLI_NO_RELAUNCH: 'true' } : {}

/**
 * What the agent counts as the cost of its session so far. Of a copy, and of a session of which we know no cost, it may count
 * what others have spent.
 */
const costBefore = (began: SessionFacts['began'], { spentUsd }: TurnAsked): number | undefined =>
  began === 'new' ? 0 : began === 'forked' || spentUsd === 0 ? undefined : spentUsd

const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {})
