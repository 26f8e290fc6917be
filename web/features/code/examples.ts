import type { codeStrings } from '../../strings/code.ts'
import type { Reach } from './reach.ts'

export interface Example {
  key: keyof typeof codeStrings.example
  code: string
  reach?: Partial<Reach>
}

/** They call only what every Signalbox has. */
export const examples: readonly Example[] = [
  {
    key: 'board',
    code: `// Only what is returned is read by a model: the tasks themselves stay here.
const { tasks, total } = await mcp.board.list_tasks({ pageSize: 100 })

const byStatus: Record<string, number> = {}
for (const task of tasks) byStatus[task.status] = (byStatus[task.status] ?? 0) + 1

return { total, byStatus }
`,
  },
  {
    key: 'together',
    code: `const columns = ['todo', 'in_progress', 'blocked', 'done'] as const

// Three calls run at once; the others wait for their turn.
const pages = await Promise.all(
  columns.map((status) => mcp.board.list_tasks({ status, pageSize: 3 })),
)

return columns.map((status, index) => ({
  status,
  total: pages[index].total,
  first: pages[index].tasks.map((task: { title: string }) => task.title),
}))
`,
  },
  {
    key: 'write',
    code: `const { task: tea } = await mcp.board.create_task({ title: 'Make tea', priority: 'low' })

for (const title of ['Boil water', 'Warm the pot']) {
  await mcp.board.create_subtask({ title, parentTaskId: tea.id })
  console.log('added', title)
}

return tea
`,
  },
  {
    key: 'logs',
    code: `const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

for (let step = 1; step <= 5; step += 1) {
  console.log(\`step \${step} of 5\`)
  await wait(400)
}
console.warn('done')

return 'Cancel it while it runs, and see what happens'
`,
  },
  {
    key: 'network',
    code: `const answer = await fetch('https://example.com/')

return { status: answer.status, length: (await answer.text()).length }
`,
    reach: { hosts: 'example.com' },
  },
]
