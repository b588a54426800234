import type { Website } from '@svc/contract'
import { CODES, invalidParams, MessageFault } from './messages.ts'
import { PAGE_TYPE, type Request } from './protocol-rules.ts'

/** The one page that hosts show the outputs of all tools in. */
export const CARDS_URI = 'ui://svc/card'

/** What a page may load, and how it stands in a host, by the extension for MCP Apps. */
export interface PagePolicy {
  prefersBorder: boolean
  csp?: { resourceDomains: string[] }
}

interface CardsPage {
  html: string
  policy: PagePolicy
}

// What else a host takes from a text of an origin could widen its policy.
const ORIGIN = /^https:\/\/[a-z0-9.-]+(:\d+)?$/

/** Pictures come from the website of the deployment; addresses elsewhere, which outputs name, are not loaded. */
export function policyOf(website: Website | null): PagePolicy {
  const origin = website?.url === undefined ? '' : originOf(website.url)
  return { prefersBorder: false, ...(ORIGIN.test(origin) && { csp: { resourceDomains: [origin] } }) }
}

function originOf(url: string): string {
  // Not URL.canParse: once Node 20 has optimised it, it refuses hosts such as “bücher.example”.
  try {
    return new URL(url).origin
  } catch {
    return ''
  }
}

export function listResources(page: CardsPage | null): object {
  if (!page) return { resources: [] }
  const description = 'Shows what a tool gives to be shown: cards, and what to do next.'
  const card = { uri: CARDS_URI, name: 'cards', title: 'Cards', description, mimeType: PAGE_TYPE }
  return { resources: [{ ...card, _meta: { ui: page.policy } }] }
}

/** Throws the fault of an address that is not in the list. */
export function readResource(page: CardsPage | null, { era, params: { uri } }: Request): object {
  if (typeof uri !== 'string') throw invalidParams('params.uri must be the address of a resource')
  if (!page || uri !== CARDS_URI) {
    const code = era === 'modern' ? CODES.invalidParams : CODES.resourceNotFound
    throw new MessageFault(200, code, 'Resource not found', { uri: uri.slice(0, MAX_URI) })
  }
  return { contents: [{ uri, mimeType: PAGE_TYPE, text: page.html, _meta: { ui: page.policy } }] }
}

const MAX_URI = 2_048
