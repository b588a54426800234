import { namesHost } from '../conversation/safe-url.ts'
import { element } from './dom.ts'
import type { Strings } from './strings.ts'

/**
 * A link to an address that was checked. It tells the page that it leads to nothing of this one, and its reader where it
 * leads, unless its own words do.
 */
export function link(url: string, strings: Strings, ...children: readonly (Node | string)[]): HTMLAnchorElement {
  const made = element(
    'a',
    { part: 'link', attributes: { href: url, rel: 'noopener noreferrer nofollow' } },
    ...children,
  )
  const { host, origin, pathname, search } = new URL(url)
  const isHere = origin === location.origin && pathname === location.pathname && search === location.search
  if (isHere) return made
  made.target = '_blank'
  if (origin !== location.origin && !namesHost(made.textContent ?? '', host)) {
    made.append(element('span', { part: 'host-name', text: ` (${host})`, attributes: { dir: 'ltr' } }))
  }
  made.append(element('span', { part: 'unseen', text: ` ${strings.newTab}` }))
  return made
}
