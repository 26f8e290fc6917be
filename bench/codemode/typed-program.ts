import type { Tool } from '#contract/tool.ts'
import type { Program } from './programs.ts'

const namespaces = ['shop', 'github', 'tickets', 'mail', 'calendar']

const text = { type: 'string' }
const orders = {
  type: 'array',
  items: {
    type: 'object',
    properties: { id: text, customer: text, amount: { type: 'number' }, days: { type: 'integer' } },
    required: ['id', 'customer', 'amount', 'days'],
  },
}
const shapes: Record<string, Record<string, unknown>> = {
  list_orders: { orders },
  top_customers: {
    sums: {
      type: 'array',
      items: { type: 'object', properties: { customer: text, amount: { type: 'number' } } },
    },
  },
  write_note: { text },
  mark_late: { ids: { type: 'array', items: text } },
  check_total: { total: { type: 'number' }, isWhole: { type: 'boolean' } },
  send: { to: text, subject: text, body: text, isUrgent: { type: 'boolean' } },
  search: { query: text, limit: { type: 'integer' }, order: { enum: ['newest', 'oldest', 'best'] } },
  rename: { id: text, name: text, tags: { type: 'array', items: text } },
  remove: { id: text, reason: text },
  invite: { people: { type: 'array', items: text }, at: text, place: text },
}

/** Ten tools in each of five namespaces. Each answers with what it is given. */
export const benchTools: Tool[] = namespaces.flatMap((namespace) =>
  Object.entries(shapes).map(([name, properties]) => {
    const schema = { type: 'object', properties, required: Object.keys(properties) }
    return {
      name: `${namespace}.${name}`,
      wireName: `${namespace}__${name}`,
      description: `What ${name.replace('_', ' ')} does in ${namespace}, said in a sentence as long as they are.`,
      inputSchema: schema,
      outputSchema: schema,
      annotations: {},
      source: namespace,
      version: '1',
      tags: [],
      deprecated: false,
      definition: 'pinned' as const,
    }
  }),
)

/** Forty lines of TypeScript with five calls, other ones in every turn. */
export const typedProgram = (turn: number): Program => ({
  code: `interface Order { id: string; customer: string; amount: number; days: number }
const turn: number = ${turn}
const { orders } = await mcp.shop.list_orders({
  orders: [
    { id: 'o1', customer: 'ada', amount: 120, days: 3 },
    { id: 'o2', customer: 'bob', amount: 42, days: 1 },
    { id: 'o3', customer: 'cid', amount: 75.5, days: 30 },
    { id: 'o4', customer: 'dee', amount: 20, days: 8 },
    { id: 'o5', customer: 'ada', amount: 16, days: 2 },
    { id: 'o6', customer: 'cid', amount: 15, days: 21 },
  ],
})
const byCustomer${turn} = new Map<string, Order[]>()
for (const order of orders) {
  const known = byCustomer${turn}.get(order.customer) ?? []
  known.push(order)
  byCustomer${turn}.set(order.customer, known)
}
const sums: { customer: string; amount: number }[] = []
for (const [customer, own] of byCustomer${turn}) {
  const amount = own.reduce((sum, order) => sum + order.amount, 0)
  sums.push({ customer, amount })
}
sums.sort((one, other) => other.amount - one.amount)
const top = await mcp.shop.top_customers({ sums: sums.slice(0, 2) })
const lines: string[] = []
for (const { customer, amount } of top.sums) {
  lines.push(customer + ' ' + amount)
}
const { text } = await mcp.tickets.write_note({ text: lines.join(', ') })
const isLate = (order: Order): boolean => order.days > 20
const late = await mcp.shop.mark_late({ ids: orders.filter(isLate).map(({ id }) => id) })
let total = 0
for (const { amount } of sums) {
  total += amount
}
const checked = await mcp.shop.check_total({ total, isWhole: Number.isInteger(total) })
if (checked.isWhole) {
  throw new Error('That should not be whole')
}
return { turn, customers: byCustomer${turn}.size, best: sums[0]?.customer, total: checked.total, late: late.ids, text }
`,
  expected: { turn, customers: 4, best: 'ada', total: 288.5, late: ['o3', 'o6'], text: 'ada 136, cid 90.5' },
})
