// A thread of the pool. It holds one run at a time; between its steps a run can be taken out and put into another thread.
import { parentPort, workerData } from 'node:worker_threads'
import type { Image } from '../sandbox/image.ts'
import { Vm } from '../sandbox/vm.ts'
import type { RunEars } from '../sandbox/vm.ts'
import type { FromThread, RunTiming, ToThread } from './messages.ts'

interface Given {
  image: Image
  beat: SharedArrayBuffer
}

const { image, beat } = workerData as Given
const port = parentPort!
const module = new WebAssembly.Module(image.wasm)
const began = new Float64Array(beat)
let vm = new Vm(image, module)
let current: number | undefined

const tell = (message: FromThread) => port.postMessage(message)

port.on('message', (message: ToThread) => {
  began[0] = performance.timeOrigin + performance.now()
  try {
    take(message)
  } finally {
    began[0] = 0
  }
})

function take(message: ToThread): void {
  const { id } = message
  if (message.type === 'begin') {
    current = id
    vm.begin(message.code, message.setting, message.limits, timeOf(message.timing), earsOf(id))
    return
  }
  if (message.type === 'thaw') {
    current = id
    vm.thaw(message.frozen, message.limits, message.meter, timeOf(message.timing), earsOf(id))
    for (const { call, isFine, text } of message.settled) vm.settle(call, isFine, text)
    return
  }
  if (id !== current) return
  if (message.type === 'settle') vm.settle(message.call, message.isFine, message.text)
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

function earsOf(id: number): RunEars {
  return {
    onCall: (call, kind, name, given) => tell({ type: 'call', id, call, kind, name, given }),
    onLog: (level, text) => tell({ type: 'log', id, level, text }),
    onEnd: (ending) => {
      tell({ type: 'ended', id, ending, meter: { ...vm.meter } })
      // What runs is still inside: it is made new when it has come out.
      queueMicrotask(renew)
    },
  }
}

function renew(): void {
  current = undefined
  if (!vm.reset()) vm = new Vm(image, module)
}

function timeOf({ leftMs, clockMs }: RunTiming) {
  const clock =
    clockMs === null ? () => BigInt(Date.now()) * 1_000_000n : BigInt(Math.round(clockMs)) * 1_000_000n
  return { wallUntil: performance.now() + leftMs, clock }
}

tell({ type: 'ready' })
