import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Signalbox } from '../../test/support/signalbox.ts'
import { startProduct } from '../support/product.ts'
import type { Provider } from './providers.ts'
import { modelOf } from './providers.ts'

/** The product with an agent that is a model, and the provider that it and everyone else asks. */
export interface Stage {
  box: Signalbox
  providerUrl: string
  readonly openSession: (provider?: Provider) => Promise<string>
  readonly close: () => Promise<void>
}

export async function openStage(): Promise<Stage> {
  const provider = await startProvider()
  try {
    const box = await startProduct({
      ANTHROPIC_API_KEY: 'k',
      ANTHROPIC_BASE_URL: provider.url,
      OPENAI_API_KEY: 'k',
      OPENAI_BASE_URL: `${provider.url}/v1`,
      GOOGLE_GENERATIVE_AI_API_KEY: 'k',
      GOOGLE_GENERATIVE_AI_BASE_URL: provider.url,
      COMPATIBLE_BASE_URL: `${provider.url}/v1`,
    })
    const agentId = await registerModel(box).catch(async (error: unknown) => {
      await box.stop()
      throw error
    })
    return {
      box,
      providerUrl: provider.url,
      openSession: (of = 'anthropic') => openSession(box, agentId, modelOf[of]),
      async close() {
        await box.stop()
        provider.stop()
      },
    }
  } catch (error) {
    provider.stop()
    throw error
  }
}

async function registerModel(box: Signalbox): Promise<string> {
  const about = {
    name: 'model',
    kind: 'model',
    adapter: 'chat',
    maxTurns: 10_000,
    maxBudgetUsd: 100_000,
  }
  const agent = await created(box, '/agents', about)
  await created(box, `/agents/${agent}/capabilities`, { key: 'chat', interactionMode: 'prompt' })
  return agent
}

const openSession = (box: Signalbox, agentId: string, model: string): Promise<string> =>
  created(box, '/sessions', { agentId, model })

async function created(box: Signalbox, path: string, about: object): Promise<string> {
  const { status, body } = await box.call('POST', path, about)
  if (status !== 201) throw new Error(`POST ${path} was refused: ${JSON.stringify(body)}`)
  return body.data.id
}

async function startProvider(): Promise<{ url: string; stop(): void }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'provider.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return { url, stop: () => child.stdin.end() }
}
