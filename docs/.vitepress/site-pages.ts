import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** The root of the tree, from which every path here is counted. */
export const ROOT = join(import.meta.dirname, '../..')

/** Pages outside `docs/` that are pages of the site, too, and where they stand there. */
const OUTSIDE: Readonly<Record<string, string>> = {
  'README.md': 'start.md',
  'packages/sdk/README.md': 'reference/sdk.md',
  'packages/widget/README.md': 'reference/widget-package.md',
  'examples/shop/README.md': 'guides/shop.md',
  'ARCHITECTURE.md': 'internals/architecture.md',
  'CONTRIBUTING.md': 'internals/contributing.md',
  'SECURITY.md': 'internals/reporting.md',
  'CHANGELOG.md': 'internals/changelog.md',
}

/** Patterns that keep VitePress from looking for pages anywhere but in `docs` and the pages above. */
export function besidePages(folder = ''): string[] {
  const kept = ['docs', ...Object.keys(OUTSIDE)]
  return readdirSync(join(ROOT, folder)).flatMap((name) => {
    const path = folder === '' ? name : `${folder}/${name}`
    if (kept.includes(path)) return []
    return kept.some((each) => each.startsWith(`${path}/`)) ? besidePages(path) : [path, `${path}/**`]
  })
}

/** Where a page of the tree stands on the site: `docs/reference/cli.md` is `reference/cli.md`. Null where it is no page. */
export function sitePathOf(path: string): string | null {
  const outside = OUTSIDE[path]
  if (outside !== undefined) return outside
  if (!path.startsWith('docs/') || !path.endsWith('.md')) return null
  return path.slice('docs/'.length).replace(/README\.md$/, 'index.md')
}

/** The order of pages in the sidebar; a page that is not named comes after them, by its name. */
const ORDER: Readonly<Record<string, readonly string[]>> = {
  '.': ['index', 'start', 'concepts'],
  guides: [
    ...['quickstart', 'first-capability', 'serving', 'end-users', 'letting-an-assistant-act', 'testing', 'shipping'],
    ...['widget', 'dashboard', 'models', 'agents-and-mcp', 'shop', 'troubleshooting'],
  ],
  reference: ['api', 'sdk', 'cli', 'configuration', 'errors'],
  operating: ['install', 'postgresql-and-replicas', 'recipes', 'backup', 'security', 'metrics', 'load'],
  internals: ['index', 'architecture', 'reliability', 'hostile-input', 'benchmarks', 'scale', 'debugging'],
  'internals/decisions': ['index'],
}

interface SidebarItem {
  text: string
  link: string
}

/** The pages of a folder of the site (`.` is its root), in the order above, each under its first heading. */
export function pagesIn(folder: string): SidebarItem[] {
  const order = ORDER[folder] ?? []
  const place = (path: string) => {
    const at = order.indexOf(basename(path, '.md'))
    return at < 0 ? order.length : at
  }
  return [...markdownIn(`docs/${folder}`), ...Object.keys(OUTSIDE)]
    .map((source) => ({ source, path: sitePathOf(source) ?? '' }))
    .filter(({ path }) => dirname(path) === folder)
    .sort((a, b) => place(a.path) - place(b.path) || a.path.localeCompare(b.path))
    .map(({ source, path }) => ({ text: titleOf(source), link: `/${path.replace(/(index)?\.md$/, '')}` }))
}

function markdownIn(folder: string): string[] {
  if (!existsSync(join(ROOT, folder))) return []
  const names = readdirSync(join(ROOT, folder)).filter((name) => name.endsWith('.md'))
  return names.map((name) => join(folder, name))
}

function titleOf(source: string): string {
  const [, title = basename(source, '.md')] = /^# (.+)$/m.exec(readFileSync(join(ROOT, source), 'utf8')) ?? []
  return title.replaceAll('`', '')
}
