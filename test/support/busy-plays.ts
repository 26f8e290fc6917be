// What the agents of a busy house are asked for, and what they then do: one step a line, as in scripted-acp/steps.ts.

export const files: Record<string, string> = {
  'README.md': '# Lighthouse\n\nLamp, rotation, fog horn and log of a small lighthouse.\n',
  'package.json': '{ "name": "lighthouse", "private": true, "type": "module" }\n',
  'src/lamp.ts': [
    "import { readState, writeState } from './state.ts'",
    '',
    'export interface Lamp {',
    '  isLit: boolean',
    '  rotation: number',
    '}',
    '',
    'export function light(lamp: Lamp): Lamp {',
    '  return { ...lamp, isLit: true }',
    '}',
    '',
    'export async function start(): Promise<Lamp> {',
    '  return { isLit: false, rotation: 0 }',
    '}',
    '',
  ].join('\n'),
  'src/state.ts':
    'export async function readState(): Promise<unknown> {\n  return undefined\n}\nexport async function writeState(): Promise<void> {}\n',
  'src/generator.ts': 'export const startGenerator = async () => true\n',
}

const edited = [
  '  const kept = await readState()',
  '  const lamp = isLamp(kept) ? kept : { isLit: false, rotation: 0 }',
  '  return lamp.isLit ? light(lamp) : lamp',
]
const before = files['src/lamp.ts']!
const after = before.replace('  return { isLit: false, rotation: 0 }', edited.join('\n'))

const relighting = [
  'think The state is never read when the lamp starts, so after a cut it always begins dark. Reading it is enough; the rest of start() already copes with a lamp that is lit.',
  `update ${JSON.stringify({
    sessionUpdate: 'plan',
    entries: [
      { content: 'Find where the lamp starts', priority: 'high', status: 'completed' },
      { content: 'Read the kept state there', priority: 'high', status: 'completed' },
      { content: 'Hold it with a test', priority: 'medium', status: 'completed' },
    ],
  })}`,
  'tool search src/lamp.ts:12 export async function start()',
  'tool read_file src/lamp.ts, 15 lines',
  `update ${JSON.stringify({
    sessionUpdate: 'tool_call',
    toolCallId: 'edit-lamp',
    title: 'Edit src/lamp.ts',
    name: 'edit',
    kind: 'edit',
    status: 'completed',
    rawInput: { path: 'src/lamp.ts' },
    content: [{ type: 'diff', path: 'src/lamp.ts', oldText: before, newText: after }],
  })}`,
  `sh node -e ${quoted(`const fs=require('fs');fs.writeFileSync('src/lamp.ts',${JSON.stringify(after)});fs.writeFileSync('src/lamp.test.ts',"import { start } from './lamp.ts'\\n\\n// lit before the cut, lit after it\\n")`)}`,
  `update ${JSON.stringify({
    sessionUpdate: 'agent_message_chunk',
    content: {
      type: 'text',
      text: 'The lamp now comes back **as it was** before the cut.\n\n- `start()` reads the kept state instead of beginning dark\n- a state that cannot be read counts as dark\n- `src/lamp.test.ts` cuts the power between two turns\n\n```ts\nconst kept = await readState()\nconst lamp = isLamp(kept) ? kept : { isLit: false, rotation: 0 }\n```',
    },
  })}`,
  'usage 48210 2140',
  'cost 0.42',
].join('\n')

const failing = [
  'tool search 9 matches in 3 files',
  'say The new API wants a key for each station.',
  'usage 9120 310',
  'cost 0.05',
  'error -32603 The weather service refused: 401 unauthorized',
].join('\n')

const measured = [
  'tool search 2 matches in 1 file',
  'say Two sensors, one note.',
  'usage 15020 820',
  'cost 0.11',
].join('\n')

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** What an agent does when it is asked for just this. */
export const scripts = {
  'Find out why the lamp stays dark after a power cut, and mend it.': relighting,
  'Move the weather client to version 3 of its API.': failing,
  'Let the fog horn sound once per warning.': measured,
  'Make the rotation test reliable.':
    'think The seed is taken from the clock.\ntool search 14 matches in 6 files\nsay The seed comes from the clock, so one run in forty begins at the seam.\nstall',
  'Replace the parser of the tide table.':
    'tool read_file tides/table.ts, 212 lines\nsay Reading how the tables of other harbours are laid out.\nstall',
  'Start the generator again when it stalls.':
    'say The retry belongs into the generator’s own start.\ntool read_file src/generator.ts, 1 line\nask npm test -- --run generator',
  'Bring the branch of the release up to date.': 'ask git push --force origin release',
}
