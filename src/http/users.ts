import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import { CreateUser, CreatedUser, EditUser, User } from '#contract/access.ts'
import { Paging } from '#contract/answer.ts'
import { Id } from '#contract/text.ts'
import { listUsers } from '#db/users.ts'
import { createUser } from '#flows/create-user.ts'
import { deleteUser } from '#flows/delete-user.ts'
import { editUser } from '#flows/edit-user.ts'
import { rotateUserToken } from '#flows/rotate-user-token.ts'
import { answersCreated, answersMany, answersNothing, answersOne, body } from './answers.ts'
import { requireOwner } from './auth.ts'
import { newRoom } from './room.ts'
import type { Parts } from './room.ts'

const params = z.strictObject({ id: Id })
const tags = ['users']

const list = createRoute({
  method: 'get',
  path: '/users',
  tags,
  summary: 'List the users, by name',
  request: { query: Paging },
  responses: answersMany(User, 'A page of users'),
})

const create = createRoute({
  method: 'post',
  path: '/users',
  tags,
  summary: 'Add a user; the answer has the token, which is not shown again',
  request: body(CreateUser),
  responses: answersCreated(CreatedUser, 'The user and the token'),
})

const edit = createRoute({
  method: 'patch',
  path: '/users/{id}',
  tags,
  summary: 'Rename a user, or change what they may; it holds at their next request',
  request: { params, ...body(EditUser) },
  responses: answersOne(User, 'The user as they are now'),
})

const remove = createRoute({
  method: 'delete',
  path: '/users/{id}',
  tags,
  summary: 'Delete a user with every token and session key; what the user made stays',
  request: { params },
  responses: answersNothing('The user is gone'),
})

const rotate = createRoute({
  method: 'post',
  path: '/users/{id}/token',
  tags,
  summary: 'Give a user a new token; the old one and its session keys open nothing any more',
  request: { params },
  responses: answersCreated(CreatedUser, 'The user and the new token'),
})

/** Users are the owner's: a user with the scope `admin` who could add users could hand out every other scope too. */
export function usersRoutes({ pool }: Pick<Parts, 'pool'>) {
  const room = newRoom()
  room.use('/users/*', requireOwner) // and `/users` itself, as Hono reads it

  room.openapi(list, async (c) => {
    const { page, pageSize } = c.req.valid('query')
    const { data, total } = await listUsers(pool.db, page, pageSize)
    return c.json({ data, meta: { total, page, pageSize } }, 200)
  })

  room.openapi(create, async (c) => {
    const wanted = c.req.valid('json')
    const data = await pool.transaction((tx) => createUser(tx, c.get('principal'), wanted))
    return c.json({ data }, 201)
  })

  room.openapi(edit, async (c) => {
    const { id } = c.req.valid('param')
    const wanted = c.req.valid('json')
    const data = await pool.transaction((tx) => editUser(tx, c.get('principal'), id, wanted))
    return c.json({ data }, 200)
  })

  room.openapi(remove, async (c) => {
    const { id } = c.req.valid('param')
    await pool.transaction((tx) => deleteUser(tx, c.get('principal'), id))
    return c.body(null, 204)
  })

  room.openapi(rotate, async (c) => {
    const { id } = c.req.valid('param')
    const data = await pool.transaction((tx) => rotateUserToken(tx, c.get('principal'), id))
    return c.json({ data }, 201)
  })

  return room
}
