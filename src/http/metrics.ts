import { Gauge, Registry, collectDefaultMetrics, register } from 'prom-client'
import { readGauges } from '#db/gauges.ts'
import { authenticate, requireScope } from './auth.ts'
import { machineMetrics } from './machine-metrics.ts'
import { newRoom } from './room.ts'
import type { Parts } from './room.ts'

// For Prometheus: what this web knows of itself, and what Postgres knows of everything, read when it is asked for.

type MetricsParts = Pick<Parts, 'pool' | 'doorkeeper' | 'settings' | 'machineId'>

export function metricsRoutes(parts: MetricsParts) {
  const room = newRoom()
  const ofEverything = gaugesOf(parts)
  room.use('/metrics', authenticate(parts), requireScope('admin'))
  room.get('/metrics', async (c) => {
    if (!register.getSingleMetric('process_cpu_user_seconds_total')) collectDefaultMetrics()
    const texts = await Promise.all([register.metrics(), ofEverything.text(), machineMetrics(parts)])
    return c.text(texts.join('\n'), 200, {
      'Content-Type': register.contentType,
      'Cache-Control': 'no-store',
    })
  })
  return room
}

function gaugesOf({ pool, settings }: MetricsParts) {
  const registry = new Registry()
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Gauge({ name: `signalbox_${name}`, help, labelNames, registers: [registry] })

  const executions = gauge('executions', 'Executions by how they stand', ['status'])
  const approvals = gauge('approvals_waiting', 'Questions that wait for a person', [])
  const workspaces = gauge('workspaces', 'Workspaces by what encloses them and how they stand', [
    'driver',
    'state',
  ])
  const machines = gauge('machines', 'Machines by whether their worker is there', ['state'])
  const keepers = gauge('keepers', 'Keepers as the worker of a machine last told', ['machine'])
  const running = gauge('workspaces_open', 'Workspaces that a keeper serves, as the worker last told', [
    'machine',
  ])
  const disk = gauge('free_disk_bytes', 'Room on the disk of a machine, as its worker last told', ['machine'])

  const read = async () => {
    const found = await readGauges(pool.db, settings.current().worker.staleAfterMs)
    for (const one of [executions, workspaces, machines, keepers, running, disk]) one.reset()
    for (const { status, count } of found.executions) executions.set({ status }, count)
    for (const { driver, state, count } of found.workspaces) workspaces.set({ driver, state }, count)
    approvals.set(found.approvalsWaiting)
    for (const { name: machine, isUp, report } of found.machines) {
      machines.inc({ state: isUp ? 'up' : 'away' })
      if (!isUp || !report) continue
      keepers.set({ machine }, report.keepers)
      running.set({ machine }, report.workspaces.length)
      disk.set({ machine }, report.freeDiskBytes)
    }
  }
  return {
    async text() {
      await read()
      return registry.metrics()
    },
  }
}
