import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { CommandOutcome, KeeperCommand } from '#contract/keeper.ts'
import { undeliveredCommands } from '#db/commands.ts'
import type { ExecutionRow } from '#db/executions.ts'
import { isDatabaseAway } from '#db/failure.ts'
import type { DatabasePool } from '#db/pool.ts'
import { noteDelivery } from '#flows/note-delivery.ts'

export type Command = Omit<KeeperCommand, 'epoch'>

/** What people tell a turn while it is under way. */
export interface Commands {
  /** There is something new. */
  ring(): void
  /** From now on words are for the next turn. Resolves when it is known of all of them whether this one has them. */
  takeNoMore(): Promise<void>
  takeMore(): void
  close(): void
}

interface Needs {
  pool: DatabasePool
  log: Logger
  row: Pick<ExecutionRow, 'id' | 'sessionId'>
  /** Tells the model of a word that was delivered; there once words can be taken. */
  tellWord: Promise<(word: Command) => void>
  /** Somebody ends the turn. */
  onStop: (command: Command) => void
  isStopped: () => boolean
}

const againMs = 2_000
/** Notifications tell of most; this is for those that went unheard. */
const looksInBetween = 15

export function openCommands({ pool, log, row, tellWord, onStop, isStopped }: Needs): Commands {
  /** Words of which it is not known whether they were delivered: a commit may have happened whose answer was lost. */
  const unsure = new Map<string, Command>()
  let isOver = false
  let delivering: Promise<void> | undefined
  let isRungAgain = false
  let failure: unknown
  let quiet = 0

  async function deliver(): Promise<void> {
    do {
      isRungAgain = false
      const waiting = await undeliveredCommands(pool.db, row.id)
      const ids = new Set(waiting.map(({ id }) => id))
      for (const command of unsure.values()) if (!ids.has(command.id)) await take(command)
      for (const command of waiting) await hear(command)
    } while (isRungAgain)
  }

  const note = (command: Command, outcome: CommandOutcome) =>
    pool.transaction((tx) => noteDelivery(tx, row, command, outcome))

  async function hear(command: Command): Promise<void> {
    if (command.type === 'cancel' || command.type === 'interrupt') return onStop(command)
    if (command.type !== 'message') return note(command, { outcome: 'delivered' })
    await tellWord
    if ((isOver && !unsure.has(command.id)) || isStopped()) return
    unsure.set(command.id, command)
    await note(command, { outcome: 'delivered', how: 'steered' })
    await take(command)
  }

  async function take(command: Command): Promise<void> {
    unsure.delete(command.id)
    const tell = await tellWord
    tell(command)
  }

  function ring(): void {
    isRungAgain = true
    delivering ??= deliver()
      .then(() => (failure = undefined))
      .catch((error: unknown) => {
        failure = error
        log.debug({ err: error, execution: row.id }, 'a command could not be delivered yet')
      })
      .finally(() => (delivering = undefined))
  }

  const timer = setInterval(() => {
    quiet += 1
    if (failure !== undefined || quiet % looksInBetween === 0) ring()
  }, againMs)

  return {
    ring,
    async takeNoMore() {
      isOver = true
      await delivering
      while (unsure.size > 0 && isDatabaseAway(failure) && !isStopped()) {
        await wait(100)
        ring()
        await delivering
      }
    },
    takeMore() {
      isOver = false
    },
    close: () => clearInterval(timer),
  }
}
