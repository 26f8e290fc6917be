import { afterAll, expect, test } from 'vitest'
import { approvals, codeRuns } from '#db/schema.ts'
import { asPrincipal, owner } from '#domain/access.ts'
import { openCodeMachines, openTestCodeMode } from '../../test/support/code/machine.ts'
import { createUser } from './create-user.ts'
import { deleteUser } from './delete-user.ts'

const codeMode = openTestCodeMode()
afterAll(() => codeMode.close())

const buy = `return (await mcp.shop.buy({ what: 'x' })).what`

test('the code of a user who is deleted ends, and asks nobody any more; that of others goes on', async () => {
  const { pool, openMachine } = await openCodeMachines(codeMode)
  const machine = await openMachine()
  const ada = await pool.transaction((tx) =>
    createUser(tx, owner, { name: 'Ada', scopes: ['tools', 'code'] }),
  )
  const { requestId: hers } = await machine.frozen(buy, {}, asPrincipal(ada))
  const { requestId: mine } = await machine.frozen(buy)
  await pool.transaction((tx) => deleteUser(tx, owner, ada.id))
  const runs = await pool.db.select().from(codeRuns)
  expect(runs.find(({ id }) => id === hers)).toMatchObject({
    status: 'ended',
    result: { success: false, error: { message: 'The user who ran this was deleted' } },
  })
  expect(runs.find(({ id }) => id === mine)).toMatchObject({ status: 'frozen' })
  const asked = await pool.db.select().from(approvals)
  expect(asked.find(({ codeRunId }) => codeRunId === hers)).toMatchObject({ status: 'expired' })
  expect(asked.find(({ codeRunId }) => codeRunId === mine)).toMatchObject({ status: 'waiting' })
})
