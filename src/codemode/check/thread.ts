// The thread of the type checker. It stands still while its native process works; when that one dies, the next check starts another.
import { parentPort } from 'node:worker_threads'
import type { FromChecker, ToChecker } from './messages.ts'
import { CheckProject } from './project.ts'

const port = parentPort!
const tell = (message: FromChecker) => port.postMessage(message)
let project: CheckProject | undefined

function opened(): CheckProject {
  const made = new CheckProject()
  tell({ type: 'process', pid: made.pid })
  return made
}

port.on('message', ({ id, tools, code }: ToChecker) => {
  try {
    project ??= opened()
    tell({ type: 'checked', id, complaints: project.check(tools, code) })
  } catch (error) {
    project?.close()
    project = undefined
    tell({ type: 'failed', id, message: error instanceof Error ? error.message : String(error) })
  }
})
