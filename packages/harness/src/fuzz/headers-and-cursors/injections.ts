/** What would stand in a header or a line of its own, where a value got out of its place. */
export const MARK = 'x-injected'

/** Values that try to end the line that they are put into. */
export const LINE_ENDS: readonly string[] = [
  `a\r\n${MARK}: 1`,
  `a\n${MARK}: 1`,
  `a\r${MARK}: 1`,
  `a\r\n\r\nHTTP/1.1 200 OK\r\n${MARK}: 1\r\n\r\n`,
  `a\u0000${MARK}: 1`,
  `a\u2028${MARK}: 1`,
  `a\u0085${MARK}: 1`,
  `a%0d%0a${MARK}: 1`,
  `a\\r\\n${MARK}: 1`,
  `a\u560d\u560a${MARK}: 1`,
  `","level":60,"${MARK}":"1`,
]

/** Where a value can be put: into a body, by its place, or into a header of the request. */
export interface Place {
  name: string
  method: 'POST' | 'PUT'
  path: (ids: { runtimeId: string }) => string
  key: 'owner' | 'deploy' | 'public' | 'none'
  body: (value: string) => unknown
  header?: string
}

const asBody = (body: (value: string) => unknown) => ({ body })
const CAPABILITY = ({ runtimeId }: { runtimeId: string }) => `/v1/capabilities/${runtimeId}/probe`
const SAYING = { messages: [{ role: 'user', parts: [{ type: 'text', content: 'Hello' }] }] }

export const PLACES: readonly Place[] = [
  ...(['name', 'version', 'endpoint', 'projectId', 'runtimeId'] as const).map((field): Place => {
    const body = (value: string) => ({
      name: 'Shop',
      [field]: field === 'endpoint' ? `https://shop.example.com/${value}` : value,
    })
    return { name: `registered ${field}`, method: 'POST', path: () => '/v1/runtimes', key: 'owner', body }
  }),
  { name: 'key name', method: 'POST', path: () => '/v1/account/keys', key: 'owner', ...asBody((name) => ({ name })) },
  { name: 'project name', method: 'POST', path: () => '/v1/projects', key: 'owner', ...asBody((name) => ({ name })) },
  {
    name: 'origin of the list',
    method: 'PUT',
    path: ({ runtimeId }) => `/v1/runtimes/${runtimeId}/allowed-origins`,
    key: 'owner',
    ...asBody((value) => ({ origins: [`https://${value}`] })),
  },
  {
    name: 'end-user token of a stranger',
    method: 'POST',
    path: CAPABILITY,
    key: 'none',
    ...asBody((endUserToken) => ({ input: {}, endUserToken })),
  },
  {
    name: 'end-user token of a page',
    method: 'POST',
    path: () => '/v1/runtime/execute',
    key: 'public',
    ...asBody((endUserToken) => ({ ...SAYING, endUserToken })),
  },
  {
    name: 'input',
    method: 'POST',
    path: CAPABILITY,
    key: 'none',
    ...asBody((value) => ({ input: { [value]: value } })),
  },
  {
    name: 'metadata',
    method: 'POST',
    path: CAPABILITY,
    key: 'none',
    ...asBody((value) => ({ metadata: { [value]: value } })),
  },
  {
    name: 'capability',
    method: 'POST',
    path: () => '/v1/runtime/capability',
    key: 'public',
    ...asBody((capability) => ({ capability, input: {} })),
  },
  ...['x-request-id', 'traceparent', 'tracestate', 'origin', 'user-agent', 'x-forwarded-for', 'idempotency-key'].map(
    (header): Place => ({
      name: header,
      method: 'POST',
      path: CAPABILITY,
      key: 'none',
      body: () => ({ input: {} }),
      header,
    }),
  ),
]
