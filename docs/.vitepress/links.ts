import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { MarkdownRenderer } from 'vitepress'
import { ROOT, sitePathOf } from './site-pages.ts'

type Token = ReturnType<MarkdownRenderer['parse']>[number]

/** Where the files of a package's `repository` can be read, without a slash at its end; null where it names none. */
export function filesOf(repository?: string | { url: string }): string | null {
  const address = typeof repository === 'object' ? repository.url : repository
  return address === undefined ? null : `${address.replace(/^git\+/, '').replace(/\.git$/, '')}/blob/HEAD`
}

/**
 * Has links lead where their pages stand on the site. A link to a file that is no page leads into `files`, such as
 * `https://example.com/svc/blob/HEAD`; without it the link keeps its text alone.
 */
export function linksOfTheSite(markdown: MarkdownRenderer, files: string | null): void {
  markdown.core.ruler.push('links of the site', ({ tokens, env }) => {
    const from = dirname(String(env.realPath ?? env.path))
    for (const token of tokens) {
      if (token.children !== null) token.children = withLinks(token.children, from, files)
      // Vite takes `images/a.png` for the name of a package.
      token.content = token.content.replace(/(?<= src| srcset)="(?=\w[\w/-]*\.(?:png|svg)")/g, '="./')
    }
  })
}

function withLinks(tokens: readonly Token[], from: string, files: string | null): Token[] {
  let isText = false
  return tokens.filter((token) => {
    if (token.type === 'link_open') {
      const href = token.attrGet('href') ?? ''
      const moved = /^(?:[a-z]+:|#|\/)/.test(href) ? href : addressOf(href, from, files)
      isText = moved === null
      token.attrSet('href', moved ?? href)
    }
    return !(isText && (token.type === 'link_open' || token.type === 'link_close'))
  })
}

/** Where a relative link leads; null where the site has no address for it. A page that is gone fails the build. */
function addressOf(href: string, from: string, files: string | null): string | null {
  const [path = '', anchor = ''] = href.split(/(?=#)/)
  const target = relative(ROOT, join(from, decodeURI(path)))
  const isFolder = existsSync(join(ROOT, target, 'README.md'))
  const page = sitePathOf(isFolder ? `${target}/README.md` : target)
  if (page !== null) return `/${page}${anchor}`
  return files === null ? null : `${files}/${target}${anchor}`
}
