import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

// A task as agents have it: look through a folder of files, and note which three have the most TODOs. Each way is the best one that we know.

const files = 20
const lines = 60

/** How many TODOs each has, by its name. */
export async function writeFiles(folder: string): Promise<Map<string, number>> {
  const todos = new Map<string, number>()
  await mkdir(folder, { recursive: true })
  for (let file = 0; file < files; file += 1) {
    const name = `part-${file}.ts`
    const count = (file * 7) % 23
    const text = Array.from({ length: lines }, (_, line) =>
      line < count
        ? `// TODO: handle the case in which value ${line} is missing`
        : `export const value${line} = compute(${file}, ${line}, { isStrict: true })`,
    )
    await writeFile(join(folder, name), `${text.join('\n')}\n`)
    todos.set(name, count)
  }
  return todos
}

export interface Step {
  tool: string
  args: Record<string, unknown>
}

const namesOf = (todos: ReadonlyMap<string, number>) => [...todos.keys()]
export const threeMost = (todos: ReadonlyMap<string, number>) =>
  [...todos]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 3)
    .map(([name, count]) => ({ name, count }))

const entities = (todos: ReadonlyMap<string, number>) => ({
  entities: threeMost(todos).map(({ name, count }) => ({
    name,
    entityType: 'file',
    observations: [`${count} TODOs`],
  })),
})

/** One call after the other: what is in the files is read by the model. */
export const directly = (folder: string, todos: ReadonlyMap<string, number>): Step[] => [
  { tool: 'filesystem__list_directory', args: { path: folder } },
  {
    tool: 'filesystem__read_multiple_files',
    args: { paths: namesOf(todos).map((name) => join(folder, name)) },
  },
  { tool: 'memory__create_entities', args: entities(todos) },
]

const found = [
  { tool: 'search_tools', args: { query: 'list a directory and read text files', limit: 5 } },
  { tool: 'search_tools', args: { query: 'remember entities in memory', limit: 5 } },
]
const described = ['filesystem.list_directory', 'filesystem.read_multiple_files', 'memory.create_entities']

/** The same, where the tools are to be found first. */
export const bySearch = (folder: string, todos: ReadonlyMap<string, number>): Step[] => [
  ...found,
  ...described.map((name) => ({ tool: 'describe_tool', args: { name, format: 'schema' } })),
  ...directly(folder, todos).map(({ tool: name, args }) => ({
    tool: 'call_tool',
    args: { name, arguments: args },
  })),
]

const code = (folder: string) => `const root = ${JSON.stringify(folder)}
const { content: list } = await mcp.filesystem.list_directory({ path: root })
const names = list.split('\\n').filter((line) => line.endsWith('.ts')).map((line) => line.replace('[FILE] ', ''))
const counted = await Promise.all(names.map(async (name) => {
  const { content } = await mcp.filesystem.read_text_file({ path: root + '/' + name })
  return { name, count: content.split('TODO').length - 1 }
}))
const most = counted.sort((a, b) => b.count - a.count).slice(0, 3)
await mcp.memory.create_entities({ entities: most.map(({ name, count }) => ({ name, entityType: 'file', observations: [count + ' TODOs'] })) })
return most`

/** In one go: what is in the files is read by the code. */
export const byCode = (folder: string): Step[] => [
  ...found,
  ...['filesystem.list_directory', 'filesystem.read_text_file', 'memory.create_entities'].map((name) => ({
    tool: 'describe_tool',
    args: { name },
  })),
  { tool: 'run_code', args: { code: code(folder) } },
]
