import { isLocalHost, NO_ENDPOINT_WARNING, type RuntimeStatus } from '@svc/contract'

/** The warning about the endpoint in a status. */
export function endpointWarnings({
  endpoint,
  healthNote,
  capabilities,
}: Pick<RuntimeStatus, 'endpoint' | 'healthNote' | 'capabilities'>): string[] {
  if (endpoint === null && capabilities.length > 0) return [NO_ENDPOINT_WARNING]
  if (!endpoint || !healthNote) return []
  const isHere = URL.canParse(endpoint) && isLocalHost(new URL(endpoint).hostname)
  const hint = isHere && healthNote.endsWith('Is your server running?') ? ' On this machine `svc dev` serves it.' : ''
  return [`${endpoint}: ${healthNote}${hint} A change shows in \`svc status\` within a minute.`]
}
