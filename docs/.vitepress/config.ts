import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitepress'
import { anchorOf } from './anchors.ts'
import { bracesAsText } from './braces.ts'
import { filesOf, linksOfTheSite } from './links.ts'
import { besidePages, pagesIn, ROOT, sitePathOf } from './site-pages.ts'

const { repository } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

export default defineConfig({
  title: 'svc',
  description: 'A control plane for agent capabilities',
  srcDir: '..',
  srcExclude: besidePages(),
  rewrites: (path) => sitePathOf(path) ?? path,
  cleanUrls: true,
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: {
    anchor: { slugify: anchorOf },
    config(markdown) {
      linksOfTheSite(markdown, filesOf(repository))
      bracesAsText(markdown)
    },
  },
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        // Not the table of the interface: 20,000 words about tests.
        _render: (source, env, markdown) =>
          env.relativePath.endsWith('interface-coverage.md') ? '' : markdown.render(source, env),
      },
    },
    outline: [2, 3],
    sidebar: [
      { text: 'Start', items: pagesIn('.') },
      { text: 'Guides', items: pagesIn('guides') },
      { text: 'Reference', items: pagesIn('reference') },
      { text: 'Operating', items: pagesIn('operating') },
      { text: 'Internals', items: pagesIn('internals'), collapsed: true },
      { text: 'Decisions', items: pagesIn('internals/decisions'), collapsed: true },
    ],
  },
})
