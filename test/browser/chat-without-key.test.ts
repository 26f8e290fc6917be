import { expect, it } from 'vitest'
import { openBoard, openHouse } from './browser.ts'

const house = openHouse()
const patience = { timeout: 20_000 }

it('says which variables are missing where no model can be asked, and looks again', async () => {
  const { page, complaints } = await openBoard(house, '/sessions')
  await page.getByText('Nothing has run yet').waitFor(patience)
  await page.getByRole('button', { name: 'New chat' }).click()
  await page.getByText('No model can be asked yet').waitFor(patience)
  const names = await page.locator('[data-no-models] code').allTextContents()
  expect(names).toEqual(
    expect.arrayContaining(['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'COMPATIBLE_BASE_URL']),
  )
  expect(await page.getByRole('textbox').count()).toBe(0)
  const asked = page.waitForRequest(
    (request) => request.url().includes('/models/available?') && request.url().includes('fresh=1'),
  )
  await page.getByRole('button', { name: 'Check again' }).click()
  await asked
  await page.getByRole('button', { name: 'Check again' }).waitFor(patience)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder('Find anything, or do something…').fill('new chat')
  await page.getByRole('option', { name: 'New chat' }).waitFor(patience)
  await page.keyboard.press('Enter')
  await page.getByText('No model can be asked yet').waitFor(patience)
  expect(complaints).toEqual([])
})
