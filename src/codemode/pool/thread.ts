// A thread of the pool. It holds one run at a time; between its steps a run can be taken out and put into another thread.
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { cpuTime } from '../sandbox/cpu-time.ts'
import type { Image } from '../sandbox/image.ts'
import type { Ending, RunEars, RunTime } from '../sandbox/run.ts'
import { Vm } from '../sandbox/vm.ts'
import { Beat } from './beat.ts'
import type { FromThread, RunTiming, ToThread } from './messages.ts'

interface Kept {
  image: Image
  module: WebAssembly.Module
  vm: Vm
  /** What is taken of its memory before anything runs. */
  taken: number
}

const given = workerData as { image: Image; isVerified: boolean; beat: SharedArrayBuffer }
const port = parentPort!
const beat = new Beat(given.beat)
const kept = new Map<string, Kept>()
const own = keep(given.image)
let current: { id: number; kept: Kept; ending?: Ending } | undefined

/** Whoever is answered so soon is not put to sleep in between: to be woken takes as long as a step. */
const awakeMs = 0.15

const tell = (message: FromThread) => port.postMessage(message)

port.on('message', (message: ToThread) => {
  hear(message)
  let until = performance.now() + awakeMs
  while (beat.isAlone && current && performance.now() < until) {
    const next: { message: ToThread } | undefined = receiveMessageOnPort(port)
    if (!next) continue
    hear(next.message)
    until = performance.now() + awakeMs
  }
})

function hear(message: ToThread): void {
  try {
    take(message)
  } catch (error) {
    if (current?.id !== message.id) throw error
    current.ending = { how: 'crashed', message: error instanceof Error ? error.message : String(error) }
  }
  beat.end()
  if (!current?.ending) return
  tell({ type: 'ended', id: current.id, ending: current.ending, meter: { ...current.kept.vm.meter } })
  renew()
}

function take(message: ToThread): void {
  const { id } = message
  if (message.type === 'begin') {
    current = { id, kept: own }
    beat.see(0, own.taken)
    beat.begin(cpuTime() + message.limits.cpuMs * (message.timing.isExtendable ? 2 : 1))
    own.vm.begin(message.code, message.setting, message.limits, timeOf(message.timing), earsOf(id))
    return
  }
  if (message.type === 'thaw') {
    if (message.forget) kept.delete(message.forget)
    const over = message.image ? keep(message.image) : (kept.get(message.frozen.image) ?? own)
    current = { id, kept: over }
    over.vm.thaw(message.frozen, message.limits, message.meter, timeOf(message.timing), earsOf(id))
    for (const { call, isFine, text } of message.settled) settle(over.vm, call, isFine, text)
    return
  }
  if (id !== current?.id) return
  const { vm } = current.kept
  if (message.type === 'settle') settle(vm, message.call, message.isFine, message.text)
  else if (message.type === 'end') vm.end(message.ending)
  else if (vm.isRunning) {
    const meter = { ...vm.meter }
    const frozen = vm.freeze()
    renew()
    port.postMessage({ type: 'parked', id, frozen, meter } satisfies FromThread, [
      frozen.at.buffer as ArrayBuffer,
      frozen.bytes.buffer as ArrayBuffer,
    ])
  }
}

function settle(vm: Vm, call: number, isFine: boolean, text: string): void {
  beat.see(vm.meter.cpuMs, vm.meter.memoryBytes)
  beat.begin(cpuTime() + vm.cpuLeftMs)
  vm.settle(call, isFine, text)
}

function earsOf(id: number): RunEars {
  return {
    onCall: (call, kind, name, text) => tell({ type: 'call', id, call, kind, name, given: text }),
    onLog: (level, text) => tell({ type: 'log', id, level, text }),
    onLate: () => tell({ type: 'late', id }),
    // What runs is still inside: it is told when it has come out.
    onEnd: (ending) => {
      if (current) current.ending = ending
    },
  }
}

function keep(image: Image): Kept {
  const module = new WebAssembly.Module(image.wasm)
  const { buffer, byteOffset } = image.memory
  const taken = new DataView(buffer, byteOffset).getUint32(image.places.taken, true)
  const one = { image, module, vm: new Vm(image, module), taken }
  kept.set(image.hash, one)
  return one
}

function renew(): void {
  const used = current?.kept
  current = undefined
  if (used && !used.vm.reset()) used.vm = new Vm(used.image, used.module)
  if (used && given.isVerified && used.vm.differsFromImage()) throw new Error('The memory is not as it was')
}

/** Asked in the middle of a step: what it has used by then is all that is known when it does not come back. */
function isStopped(): boolean {
  const meter = current?.kept.vm.meter
  if (meter) beat.see(meter.cpuMs, meter.memoryBytes)
  return beat.isStopped
}

function timeOf({ leftMs, clockMs, isExtendable }: RunTiming): RunTime {
  const clock =
    clockMs === null ? () => BigInt(Date.now()) * 1_000_000n : BigInt(Math.round(clockMs)) * 1_000_000n
  return { wallUntil: performance.now() + leftMs, clock, isExtendable, isStopped }
}

tell({ type: 'ready' })
