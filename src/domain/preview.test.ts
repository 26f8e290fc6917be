import { expect, it } from 'vitest'
import { choosePort, previewedPort } from './preview.ts'

const app = { command: 'x', port: 5173 }
const folder = { driver: 'folder', app, ports: [3000] } as const
const walled = { driver: 'docker', app: null, ports: [] } as const

it('shows ports of the workspace alone; inside walls also those that apps usually have', () => {
  for (const [workspace, port, shown] of [
    [folder, null, 5173],
    [folder, 5173, 5173],
    [folder, 3000, 3000],
    [folder, 8000, undefined],
    [folder, 5432, undefined],
    [walled, null, undefined],
    [walled, 7999, undefined],
    [walled, 8000, 8000],
    [walled, 8100, 8100],
    [walled, 8101, undefined],
    [walled, 3001, undefined],
  ] as const)
    expect(previewedPort(workspace, port)).toBe(shown)
})

it('chooses the app, or the only port there is, and else wants to be told', () => {
  expect(choosePort(folder, undefined)).toBeNull()
  expect(choosePort(folder, 5173)).toBeNull()
  expect(choosePort(folder, 3000)).toBe(3000)
  expect(choosePort({ ...folder, app: null }, undefined)).toBe(3000)
  expect(() => choosePort({ ...folder, app: null, ports: [1, 2] }, undefined)).toThrow('one of 1, 2')
  expect(() => choosePort(walled, undefined)).toThrow('neither an app nor ports')
  expect(() => choosePort(folder, 22)).toThrow('none of the workspace')
})
