import type { Capability } from '@svc/contract'

type Suggested = Pick<Capability, 'name' | 'description' | 'effect' | 'requiresEndUser' | 'confirm' | 'deprecated'>

const MOST = 3
const SHORTEST = 8
const LONGEST = 60

/**
 * What an end user may say first. Capabilities that anybody can use at once come before those that ask for more; what
 * cannot be taken back is not offered.
 */
export function suggestionsFor(capabilities: readonly Suggested[]): string[] {
  const offered = capabilities.filter(({ deprecated, effect }) => !deprecated && effect !== 'destructive')
  const asksForMore = ({ requiresEndUser, confirm }: Suggested) => requiresEndUser || confirm === true
  const ordered = [...offered.filter((one) => !asksForMore(one)), ...offered.filter(asksForMore)]
  return [...new Set(ordered.map(suggestionFor))].slice(0, MOST)
}

// The first clause of the description where it reads like a request (“Finds …” does not), or else the name in words.
function suggestionFor({ name, description }: Suggested): string {
  const [clause = ''] = description.trim().split(/[.:;,(\n]/, 1)
  const said = clause.trim()
  const [verb = ''] = said.split(' ', 1)
  const isRequest = said.length >= SHORTEST && said.length <= LONGEST && said.includes(' ') && !/[^s]s$/.test(verb)
  return isRequest ? said : wordsOf(name)
}

function wordsOf(name: string): string {
  const words = name
    .replace(/-+/g, ' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .trim()
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
