import { z } from 'zod'
import { SpawnAgent } from '#contract/spawn.ts'
import type { HandOver } from '#db/hand-over.ts'
import type { DatabasePool } from '#db/pool.ts'
import { mostSpawnedAtOnce, spawnCooldownSec } from '#domain/spawn.ts'
import { spawnAgent } from '#flows/spawn-agent.ts'
import type { SpawnRules } from '#flows/spawn-agent.ts'
import type { NativeTool } from '#tools/port.ts'
import { agentCalled } from './meant.ts'
import { isForScope, nativeTool, principalOf } from './native-tool.ts'

interface Needs {
  pool: DatabasePool
  handOver: Pick<HandOver, 'send'>
  rules: () => SpawnRules
}

/** Sets another agent to work. It asks nobody: its guards say no by themselves, and what is dangerous waits for a yes. */
export const spawnTool = ({ pool, handOver, rules }: Needs): NativeTool =>
  nativeTool(
    {
      isFor: isForScope('run'),
      needsNoApproval: true,
      name: 'spawn_agent',
      title: 'Set an agent to work',
      description: `Starts an agent in a session of its own, in your workspace, and does not wait for it. The same agent once in ${spawnCooldownSec} s, ${mostSpawnedAtOnce} at once, 3 deep, within your budget. What came of it is on the board.`,
      input: z.strictObject({
        agent: z.string().max(200).describe('Its name or its id'),
        prompt: SpawnAgent.shape.prompt.describe('What it is to do. It knows nothing of what you know'),
        taskId: SpawnAgent.shape.taskId.describe('Without it: the task that you work on'),
      }),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
    },
    async (caller, { agent: wanted, prompt, taskId }) => {
      const { id: agentId, name } = await agentCalled(pool.db, wanted)
      const asked = { agentId, prompt, ...(taskId && { taskId }) }
      const { id, sessionId, status, waitingApprovals } = await pool.transaction((tx) =>
        spawnAgent(tx, principalOf(caller), handOver, asked, rules()),
      )
      const state = waitingApprovals > 0 ? 'waits for the yes of a person' : 'is queued'
      return {
        text: `${name} ${state}: execution ${id}`,
        data: { execution: { id, sessionId, status, agentId, agentName: name, waitingApprovals } },
      }
    },
  )
