/** Would stand in a header or a line of its own where a value got out of its place. */
export const MARK = 'x-injected'

/** Values that try to end the line that they are put into. */
export const LINE_ENDS: readonly string[] = [
  ...['\r\n', '\n', '\r', '\u0000', '\u2028', '\u0085', '%0d%0a', '\\r\\n', '\u560d\u560a'].map(
    (end) => `a${end}${MARK}: 1`,
  ),
  `a\r\n\r\nHTTP/1.1 200 OK\r\n${MARK}: 1\r\n\r\n`,
  `","level":60,"${MARK}":"1`,
]

/** Where a value can be put: into a body, or into a header of the request. */
export interface Place {
  name: string
  method?: 'PUT'
  path: (ids: { runtimeId: string }) => string
  key: 'owner' | 'public' | 'none'
  body: (value: string) => unknown
  header?: string
}

const BROKER: Pick<Place, 'path' | 'key'> = {
  path: ({ runtimeId }) => `/v1/capabilities/${runtimeId}/probe`,
  key: 'none',
}
const SAYING = { messages: [{ role: 'user', parts: [{ type: 'text', content: 'Hello' }] }] }
const HEADERS = [
  'x-request-id',
  'traceparent',
  'tracestate',
  'origin',
  'user-agent',
  'x-forwarded-for',
  'idempotency-key',
]

export const PLACES: readonly Place[] = [
  ...['name', 'version', 'projectId', 'runtimeId'].map(
    (field): Place => ({
      ...owned(`registered ${field}`, '/v1/runtimes'),
      body: (value) => ({ name: 'Shop', [field]: value }),
    }),
  ),
  {
    ...owned('registered endpoint', '/v1/runtimes'),
    body: (value) => ({ name: 'Shop', endpoint: `https://shop.example.com/${value}` }),
  },
  { ...owned('key name', '/v1/account/keys'), body: (name) => ({ name }) },
  { ...owned('project name', '/v1/projects'), body: (name) => ({ name }) },
  {
    name: 'origin of the list',
    method: 'PUT',
    path: ({ runtimeId }) => `/v1/runtimes/${runtimeId}/allowed-origins`,
    key: 'owner',
    body: (value) => ({ origins: [`https://${value}`] }),
  },
  { name: 'end-user token, broker', ...BROKER, body: (endUserToken) => ({ input: {}, endUserToken }) },
  { ...paged('end-user token, page', '/v1/runtime/execute'), body: (endUserToken) => ({ ...SAYING, endUserToken }) },
  { name: 'input', ...BROKER, body: (value) => ({ input: { [value]: value } }) },
  { name: 'metadata', ...BROKER, body: (value) => ({ metadata: { [value]: value } }) },
  { ...paged('capability', '/v1/runtime/capability'), body: (capability) => ({ capability, input: {} }) },
  ...HEADERS.map((header): Place => ({ name: header, ...BROKER, body: () => ({ input: {} }), header })),
]

function owned(name: string, path: string) {
  return { name, path: () => path, key: 'owner' } as const
}

function paged(name: string, path: string) {
  return { name, path: () => path, key: 'public' } as const
}
