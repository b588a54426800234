import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { MarkdownRenderer } from 'vitepress'
import { ROOT, sitePathOf } from './site-pages.ts'

type Token = ReturnType<MarkdownRenderer['parse']>[number]

/**
 * Has links lead where their pages stand on the site. A link to a file that is no page leads into `repository`, such as
 * `https://example.com/svc/blob/main`; without one it keeps its text alone.
 */
export function linksOfTheSite(markdown: MarkdownRenderer, repository: string | null): void {
  markdown.core.ruler.push('links of the site', ({ tokens, env }) => {
    const from = dirname(String(env.realPath ?? env.path))
    for (const token of tokens) {
      if (token.children !== null) token.children = withLinks(token.children, from, repository)
      // Vite takes `images/a.png` for the name of a package.
      token.content = token.content.replace(/(?<= src| srcset)="(?=\w[\w/-]*\.(?:png|svg)")/g, '="./')
    }
  })
}

function withLinks(tokens: readonly Token[], from: string, repository: string | null): Token[] {
  let isText = false
  return tokens.filter((token) => {
    if (token.type === 'link_open') {
      const href = token.attrGet('href') ?? ''
      const moved = /^(?:[a-z]+:|#|\/)/.test(href) ? href : addressOf(href, from, repository)
      isText = moved === null
      token.attrSet('href', moved ?? href)
    }
    return !(isText && (token.type === 'link_open' || token.type === 'link_close'))
  })
}

/** Where a relative link leads; null where the site has no address for it. A page that is gone fails the build. */
function addressOf(href: string, from: string, repository: string | null): string | null {
  const [path = '', anchor = ''] = href.split(/(?=#)/)
  const target = relative(ROOT, join(from, decodeURI(path)))
  const isFolder = existsSync(join(ROOT, target, 'README.md'))
  const page = sitePathOf(isFolder ? `${target}/README.md` : target)
  if (page !== null) return `/${page}${anchor}`
  return repository === null ? null : `${repository}/${target}${anchor}`
}
