import pg from 'pg'
import { expect, it } from 'vitest'
import { newId } from '#lib/id.ts'
import { cardIn, openBoard, openHouse, openPage } from './browser.ts'

const agent = { id: newId(), name: 'Night shift' }
const house = openHouse(async (databaseUrl) => {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(`insert into agents (id, name, kind) values ($1, $2, 'coding')`, [agent.id, agent.name])
  await client.end()
})

const newTask = async (title: string, more: object = {}): Promise<string> =>
  (await house.signalbox.call('POST', '/tasks', { title, ...more })).body.data.id
const theTask = async (id: string) => (await house.signalbox.call('GET', `/tasks/${id}`)).body.data
const openTask = (id: string) => openBoard(house, `/board?task=${id}`)

it('saves what is written, and shows it on the card', async () => {
  const id = await newTask('Old words')
  const { page, complaints } = await openTask(id)
  await page.getByRole('textbox', { name: 'Title' }).fill('New words')
  await page.getByRole('textbox', { name: 'Description' }).fill('Why\n\nand how')
  await page.locator('[data-saved=unsaved], [data-saved=saving]').waitFor()
  await page.locator('[data-saved=saved]').waitFor()
  expect(await theTask(id)).toMatchObject({ title: 'New words', description: 'Why\n\nand how' })
  await cardIn(page, 'todo', 'New words').waitFor()
  await page.getByText('Changed the description').waitFor()
  expect(complaints).toEqual([])
})

it('sends what is not saved yet when the page is closed', async () => {
  const id = await newTask('Closed at once')
  const { page } = await openTask(id)
  await page.getByRole('textbox', { name: 'Description' }).fill('Last words')
  await page.close()
  await expect.poll(async () => (await theTask(id)).description).toBe('Last words')
})

it('loses no letter when the server does not answer and the page crashes', async () => {
  const id = await newTask('Keeps everything')
  const { page } = await openTask(id)
  await page.route('**/api/v1/tasks/*', (route) =>
    route.request().method() === 'PATCH' ? route.abort() : route.continue(),
  )
  await page.getByRole('textbox', { name: 'Description' }).fill('Half a tho')
  await page.locator('[data-saved=failed]').waitFor()
  const crashed = page.waitForEvent('crash')
  await Promise.all([crashed, page.goto('chrome://crash').catch(() => null)])
  expect((await theTask(id)).description).toBe('')

  const again = await page.context().newPage()
  await again.goto(`${house.signalbox.url}/board?task=${id}`)
  const restored = again.getByRole('textbox', { name: 'Description' })
  await expect.poll(() => restored.inputValue(), { timeout: 10_000 }).toBe('Half a tho')
  await expect.poll(async () => (await theTask(id)).description).toBe('Half a tho')
})

it('tells of a change by somebody else instead of writing over it', async () => {
  const id = await newTask('Two writers', { description: 'start' })
  const { page } = await openTask(id)
  const description = page.getByRole('textbox', { name: 'Description' })
  await house.signalbox.call('PATCH', `/tasks/${id}`, { description: 'first of theirs' })
  await expect.poll(() => description.inputValue()).toBe('first of theirs')
  await page.route('**/api/v1/tasks/*', (route) =>
    route.request().method() === 'PATCH' ? undefined : route.continue(),
  )
  await description.fill('mine')
  await house.signalbox.call('PATCH', `/tasks/${id}`, { description: 'second of theirs' })
  await page.getByText('This was changed by somebody else while you were writing.').waitFor()
  expect(await description.inputValue()).toBe('mine')
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Take theirs' }).click()
  expect(await description.inputValue()).toBe('second of theirs')
})

it('offers only the moves that are allowed, and makes them', async () => {
  const id = await newTask('Choosy', { status: 'blocked' })
  const { page } = await openTask(id)
  await page.getByRole('button', { name: 'Status: Blocked' }).click()
  const offered = await page.getByRole('menuitemradio').allTextContents()
  expect(offered).toEqual(['To do', 'In progress', 'Blocked', 'Cancelled'])
  await page.getByRole('menuitemradio', { name: 'In progress' }).click()
  await cardIn(page, 'in_progress', 'Choosy').waitFor()
  await page.getByRole('button', { name: 'Priority: Medium' }).click()
  await page.getByRole('menuitemradio', { name: 'Critical' }).click()
  await expect.poll(async () => (await theTask(id)).priority).toBe('critical')
})

it('gives a task to an agent, and narrows the board to what that agent has', async () => {
  const id = await newTask('For the night')
  await newTask('For nobody')
  const { page, complaints } = await openTask(id)
  await page.getByRole('button', { name: 'Agent: No agent' }).click()
  await page.getByRole('menuitemradio', { name: agent.name }).click()
  await cardIn(page, 'todo', agent.name).waitFor()
  await expect.poll(async () => (await theTask(id)).assigneeAgentId).toBe(agent.id)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Agent: All agents' }).click()
  await page.getByRole('menuitemradio', { name: agent.name }).click()
  await cardIn(page, 'todo', 'For nobody').waitFor({ state: 'detached' })
  await cardIn(page, 'todo', 'For the night').waitFor()
  await house.signalbox.call('PATCH', `/tasks/${id}`, { assigneeAgentId: null })
  await page.getByRole('heading', { name: 'No task fits this filter' }).waitFor()
  expect(complaints).toEqual([])
})

it('adds subtasks and needed tasks, and tells why a circle is refused', async () => {
  const first = await newTask('Lay the track')
  const second = await newTask('Run the train')
  await house.signalbox.call('POST', `/tasks/${second}/dependencies`, { dependsOnTaskId: first })
  const { page, complaints } = await openTask(first)
  await page.getByRole('textbox', { name: 'Add a subtask' }).fill('Order the rails')
  await page.keyboard.press('Enter')
  await page.getByRole('complementary').getByRole('link', { name: 'Order the rails' }).waitFor()
  await page.getByRole('button', { name: 'Add a task that must be done first' }).click()
  await page.getByPlaceholder('Find a task…').fill('run the')
  await page.getByRole('option', { name: 'Run the train' }).click()
  await page.locator('[data-toast=problem]', { hasText: '“Lay the track” was not changed.' }).waitFor()
  expect((await theTask(first)).dependsOnTaskIds).toEqual([])
  expect(complaints).toEqual([])
})

it('shows a subtask that is added while the others are still being read', async () => {
  const id = await newTask('Slow reader')
  const { promise: added, resolve: isAdded } = Promise.withResolvers<void>()
  const { page } = await openPage(house.browser)
  await page.route('**/api/v1/tasks?parentTaskId=*', async (route) => {
    const response = await route.fetch()
    await added
    await route.fulfill({ response })
  })
  const read = page.waitForRequest((request) => request.url().includes('parentTaskId'))
  await page.goto(`${house.signalbox.url}/board?task=${id}#token=${house.signalbox.token}`)
  await read
  await page.getByRole('textbox', { name: 'Add a subtask' }).fill('Meanwhile')
  await page.keyboard.press('Enter')
  await cardIn(page, 'todo', 'Meanwhile').waitFor()
  isAdded()
  const line = page.getByRole('complementary').getByRole('link', { name: 'Meanwhile' })
  await expect.poll(() => line.count(), { timeout: 5000 }).toBe(1)
})

it('asks before deleting, and says at once that subtasks would go too', async () => {
  const id = await newTask('Doomed')
  const child = await newTask('Doomed child', { parentTaskId: id })
  const { page } = await openTask(id)
  await page.getByRole('complementary').getByRole('link', { name: 'Doomed child' }).waitFor()
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Delete task…' }).click()
  await page.getByText('It has subtasks, which would be deleted with it.').waitFor()
  expect((await house.signalbox.call('GET', `/tasks/${id}`)).status).toBe(200)
  await page.getByRole('button', { name: 'Delete all of them' }).click()
  await cardIn(page, 'todo', 'Doomed child').waitFor({ state: 'detached' })
  expect((await house.signalbox.call('GET', `/tasks/${child}`)).status).toBe(404)
})

it('asks once more when there are subtasks that it did not know of', async () => {
  const id = await newTask('Seems alone')
  await newTask('Unheard of', { parentTaskId: id })
  const { page } = await openPage(house.browser)
  await page.route('**/api/v1/tasks?parentTaskId=*', (route) =>
    route.fulfill({ json: { data: [], meta: { total: 0 } } }),
  )
  await page.goto(`${house.signalbox.url}/board?task=${id}#token=${house.signalbox.token}`)
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Delete task…' }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('It has subtasks, which would be deleted with it.').waitFor()
  expect((await house.signalbox.call('GET', `/tasks/${id}`)).status).toBe(200)
  await page.getByRole('button', { name: 'Delete all of them' }).click()
  await cardIn(page, 'todo', 'Unheard of').waitFor({ state: 'detached' })
})

it('makes a new task with Ctrl+Enter, from its title too', async () => {
  const { page } = await openBoard(house)
  await page.keyboard.press('n')
  await page.getByRole('textbox', { name: 'Title' }).fill('By two keys')
  await page.keyboard.press('Control+Enter')
  await cardIn(page, 'todo', 'By two keys').waitFor()
  expect(await page.getByRole('dialog').count()).toBe(0)
})

it('says so when there is no such task', async () => {
  const { page } = await openTask('01900000-0000-7000-8000-000000000000')
  await page.getByRole('button', { name: 'Back to the board' }).click()
  await expect.poll(() => page.url()).toBe(`${house.signalbox.url}/board`)
})
