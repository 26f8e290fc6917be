import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'

const built = join(import.meta.dirname, '../../dist/web')

it('loads with less than 150 KB of scripts and styles', async () => {
  const page = await readFile(join(built, 'index.html'), 'utf8')
  const files = [...page.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css))"/g)].map(([, path = '']) => path)
  expect(files.length).toBeGreaterThan(2)
  const sizes = await Promise.all(
    files.map(async (file) => gzipSync(await readFile(join(built, file))).length),
  )
  const total = sizes.reduce((sum, size) => sum + size, gzipSync(page).length)
  expect(total).toBeLessThan(150 * 1024)
})

it('has nothing in the page that a strict content security policy would refuse', async () => {
  const page = await readFile(join(built, 'index.html'), 'utf8')
  expect(page).not.toMatch(/<style|\sstyle=|<script(?![^>]*\ssrc=)|\son[a-z]+=/i)
})

it('serves nothing but the page and what it loads', async () => {
  const files = await readdir(built, { recursive: true })
  expect(files.filter((file) => /(^|\/)\./.test(file))).toEqual([])
})
