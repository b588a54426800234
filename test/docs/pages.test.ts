import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { anchorOf } from '../../docs/.vitepress/anchors.ts'
import { PAGES } from '../support/doc-samples.ts'
import { ROOT } from '../support/source-tree.ts'

const read = (page: string) => readFileSync(join(ROOT, page), 'utf8')

test('every link between pages leads somewhere', () => {
  const broken = PAGES.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)[^)]*\)/g)]
      .map(([, target]) => target ?? '')
      .filter((target) => !existsSync(join(ROOT, dirname(page), target)))
      .map((target) => `${page} → ${target}`),
  )
  expect(broken).toEqual([])
})

test('every heading that a link leads to is on its page', () => {
  const lost = PAGES.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)#([^)\s]+)\)/g)]
      .map(([, path = '', anchor = '']) => ({ target: path ? join(dirname(page), path) : page, anchor }))
      .filter(({ target, anchor }) => !existsSync(join(ROOT, target)) || !anchorsOf(read(target)).includes(anchor))
      .map(({ target, anchor }) => `${page} → ${target}#${anchor}`),
  )
  expect(lost).toEqual([])
})

test('the index of the documentation leads to every page of it', () => {
  const pages = PAGES.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md')
  // Internals and decisions have an index of their own.
  const indexOf = (page: string) =>
    ['docs/internals/decisions', 'docs/internals', 'docs'].find((folder) => page.startsWith(`${folder}/`)) ?? 'docs'
  const missing = pages.filter((page) => {
    const folder = page.endsWith('/README.md') ? dirname(dirname(page)) : indexOf(page)
    return !read(`${folder}/README.md`).includes(`](${relative(folder, page)}`)
  })
  expect(missing).toEqual([])
})

test('every file that a page names is there', () => {
  const gone = PAGES.flatMap((page) =>
    [...read(page).matchAll(/`((?:packages|examples|docs|test)\/[\w./-]+)`/g)]
      .map(([, path]) => path ?? '')
      .filter((path) => !existsSync(join(ROOT, path)))
      .map((path) => `${page} names ${path}`),
  )
  expect(gone).toEqual([])
})

test('every picture stands on a page, in light and dark, and every page’s pictures are there', () => {
  const shown = PAGES.flatMap((page) =>
    [...read(page).matchAll(/(?:src|srcset)="([^"]+\.png)"|!\[[^\]]*\]\(([^)]+\.png)\)/g)].map(([, quoted, linked]) =>
      join(dirname(page), quoted ?? linked ?? ''),
    ),
  )
  const pictures = readdirSync(join(ROOT, 'docs/images')).filter((name) => name.endsWith('.png'))
  const there = pictures.map((name) => `docs/images/${name}`)
  expect([...new Set(shown)].sort()).toEqual(there.sort())
  const names = there.map((path) => path.replace(/-(light|dark)\.png$/, ''))
  expect(names.filter((name) => !there.includes(`${name}-light.png`) || !there.includes(`${name}-dark.png`))).toEqual(
    [],
  )
})

test('the README stays short, and its first capability fits in thirty lines', () => {
  const readme = read('README.md')
  expect(readme.split('\n').length).toBeLessThan(140)
  const code = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block]) => block ?? '').join('')
  expect(code.split('\n').filter((line) => line.trim() !== '').length).toBeLessThanOrEqual(30)
})

function anchorsOf(page: string): string[] {
  const text = page.replace(/^```[\s\S]*?^```/gm, '')
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))
}
