import pino from 'pino'
import { openWorkspaces } from '#workspaces/open.ts'

const { verb, home, asked } = JSON.parse(process.env['ASKED'] ?? '{}')
const workspaces = openWorkspaces({ home, drivers: {}, log: pino({ level: 'silent' }) })
await (verb === 'trash' ? workspaces.trash(asked) : workspaces.restore(asked))
