import * as z from 'zod'

const LOCAL_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]'])

// URL parsers take hosts such as “*.example.com” and “a.com,b.com”, which name no host at all.
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/

// URL parsers also mend what they are given: blanks around it, backslashes, missing slashes.
const ABSOLUTE = /^[a-z][a-z0-9+.-]*:\/\/[^\s/\\][^\s\\]*$/i

/** True for the three hosts that may be called over plain `http:`. */
export function isLocalHost(hostname: string): boolean {
  return LOCAL_HOSTS.has(hostname)
}

/** The fault of an address's port, or null. URL parsers refuse the whole address and do not say why. */
export function portProblem(address: string): string | null {
  const [, port = ''] = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*:([^/?#:\]@]+)(?:[/?#]|$)/i.exec(address) ?? []
  if (port === '' || (/^\d+$/.test(port) && Number(port) <= 65_535)) return null
  return `has the port “${port.slice(0, 20)}”: a port is a number from 1 to 65535.`
}

/** The fault of a runtime endpoint, or null. Valid are an absolute `https:` URL, or `http:` on one of the local hosts. */
export function endpointProblem(endpoint: string): string | null {
  const url = parseAbsolute(endpoint)
  if (!url) return portProblem(endpoint) ?? 'must be an absolute URL, such as https://shop.example.com/svc.'
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must start with https://.'
  if (url.protocol === 'http:' && !isLocalHost(url.hostname)) {
    return 'must start with https:// (http:// is accepted for localhost, 127.0.0.1 and [::1] only).'
  }
  if (url.username || url.password)
    return 'must not carry a user name or password: calls are authenticated by signature.'
  if (url.hash) return 'must not carry a fragment (#…): it is never sent.'
  return null
}

/** The address that the service calls for every capability; see {@link endpointProblem}. */
export const Endpoint = z
  .string()
  .max(2048)
  .superRefine((endpoint, context) => {
    const problem = endpointProblem(endpoint)
    if (problem) context.addIssue({ code: 'custom', message: problem })
  })
  .meta({
    description: 'https, or http on localhost, 127.0.0.1 and [::1]. No user name, no fragment.',
    format: 'uri',
    examples: ['https://shop.example.com/svc'],
  })

/** The fault of an allowed origin, or null. The message names the origin to use instead where there is one. */
export function originProblem(origin: string): string | null {
  const url = parseAbsolute(origin)
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
  if (!url || !isWeb) return `“${origin}” is not an origin: use scheme and host, such as https://shop.example.com.`
  if (origin !== url.origin) return `“${origin}” is not a bare origin: use “${url.origin}”.`
  return null
}

/** The text of an origin; see {@link originProblem}. */
export const OriginText = z
  .string()
  .max(512)
  .meta({ description: 'Scheme, host and, where it is not the default, port.', format: 'uri' })

/** A bare web origin: scheme, host and, where it is not the default, port. */
export const Origin = OriginText.superRefine((origin, context) => {
  const problem = originProblem(origin)
  if (problem) context.addIssue({ code: 'custom', message: problem })
})

/** A web page’s address, `http:` or `https:`. */
export const WebUrl = z
  .url({
    protocol: /^https?$/,
    hostname: HOST,
    error: 'must be an absolute http(s) URL, such as https://shop.example.com.',
  })
  .max(2048)
  .meta({ description: 'An absolute address, http or https.', examples: ['https://shop.example.com'] })

function parseAbsolute(text: string): URL | null {
  if (!ABSOLUTE.test(text)) return null
  try {
    // Not URL.canParse: once Node 20 has optimised it, it refuses hosts such as “bücher.example”.
    const url = new URL(text)
    return HOST.test(url.hostname) ? url : null
  } catch {
    return null
  }
}
