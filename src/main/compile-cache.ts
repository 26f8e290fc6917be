import { join } from 'node:path'

/**
 * Where Node keeps our sources stripped of their types and compiled: starts take half the time, and the tool that strips
 * is not even loaded. Beside the code, and so as trusted as the code; where that cannot be written, Node does without.
 */
export const compileCache = join(import.meta.dirname, '../../node_modules/.cache/signalbox')
