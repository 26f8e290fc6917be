/** Code that every contestant runs, and what it must come to. `tool` is how a tool is called there; it answers with what it is given. */
export interface Program {
  code: string
  expected: unknown
}

/** `turn` is another number each time. */
export type Programs = Record<'sum' | 'tools', (tool: string, turn: number) => Program>

export const programs: Programs = {
  sum: () => ({ code: 'return 1 + 1', expected: 2 }),
  tools: (tool, turn) => ({
    code: fortyLines(tool, turn),
    expected: {
      turn,
      customers: 4,
      best: 'ada',
      total: 288.5,
      late: ['o3', 'o6'],
      text: 'ada 136, cid 90.5',
    },
  }),
}

/** Waits for a call that takes this long. */
export const waiting = (tool: string, turn: number, takesMs: number): Program => ({
  code: `const kept = { turn: ${turn}, list: Array.from({ length: 100 }, (_, index) => index) }
const answer = await ${tool}({ takesMs: ${takesMs}, turn: kept.turn })
return answer.turn + kept.list.length`,
  expected: turn + 100,
})

const fortyLines = (tool: string, turn: number) => `const turn = ${turn}
const { orders } = await ${tool}({
  orders: [
    { id: 'o1', customer: 'ada', amount: 120, days: 3 },
    { id: 'o2', customer: 'bob', amount: 42, days: 1 },
    { id: 'o3', customer: 'cid', amount: 75.5, days: 30 },
    { id: 'o4', customer: 'dee', amount: 20, days: 8 },
    { id: 'o5', customer: 'ada', amount: 16, days: 2 },
    { id: 'o6', customer: 'cid', amount: 15, days: 21 },
  ],
})
const byCustomer = new Map()
for (const order of orders) {
  const known = byCustomer.get(order.customer) ?? []
  known.push(order)
  byCustomer.set(order.customer, known)
}
const sums = []
for (const [customer, own] of byCustomer) {
  const amount = own.reduce((sum, order) => sum + order.amount, 0)
  sums.push({ customer, amount })
}
sums.sort((one, other) => other.amount - one.amount)
const top = await ${tool}({ sums: sums.slice(0, 2) })
const lines = []
for (const { customer, amount } of top.sums) {
  lines.push(customer + ' ' + amount)
}
const { text } = await ${tool}({ text: lines.join(', ') })
const isLate = (order) => order.days > 20
const late = await ${tool}({ ids: orders.filter(isLate).map(({ id }) => id) })
let total = 0
for (const { amount } of sums) {
  total += amount
}
const checked = await ${tool}({ total, isWhole: Number.isInteger(total) })
if (checked.isWhole) {
  throw new Error('That should not be whole')
}
return { turn, customers: byCustomer.size, best: sums[0].customer, total: checked.total, late: late.ids, text }
`
