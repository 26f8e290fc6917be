import { engineAddress } from './address.ts'
import { label } from './container.ts'
import { EngineRefused, openEngine } from './engine.ts'

/** A container of ours, of which nobody has said yet whether somebody still needs it. */
export interface FoundContainer {
  id: string
  name: string
  /** What its labels say. */
  workspaceId: string
  keeperId: string
  image: string
  isRunning: boolean
  createdAt: Date
}

interface Listed {
  Id: string
  Names: string[]
  Image: string
  State: string
  Created: number
  Labels: Record<string, string>
}

/** All containers of this home, running or not; of other homes on the same engine, none. Rejects when the engine does not answer. */
export async function findContainers(home: string): Promise<FoundContainer[]> {
  const filters = JSON.stringify({ label: [`${label.home}=${home}`] })
  const found = await openEngine(engineAddress()).ask<Listed[]>('GET', '/containers/json', {
    query: { all: '1', filters },
  })
  return found.map(({ Id, Names, Image, State, Created, Labels }) => ({
    id: Id,
    name: Names[0]?.slice(1) ?? Id.slice(0, 12),
    workspaceId: Labels[label.workspace] ?? '',
    keeperId: Labels[label.keeper] ?? '',
    image: Image,
    isRunning: State === 'running',
    createdAt: new Date(Created * 1000),
  }))
}

/** Kills and removes it; fine when it is gone by itself meanwhile. Rejects when the engine does not answer. */
export async function removeContainer(id: string): Promise<void> {
  try {
    await openEngine(engineAddress()).ask('DELETE', `/containers/${encodeURIComponent(id)}`, {
      query: { force: '1', v: '1' },
    })
  } catch (error) {
    const isGoing = error instanceof EngineRefused && (error.status === 404 || error.status === 409)
    if (!isGoing) throw error
  }
}
