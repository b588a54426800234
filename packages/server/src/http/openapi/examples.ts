/**
 * Examples by the name of a component or a field: viewers and generators compose those of whole bodies of them.
 * No value is a key: they are too short, and their checksums are missing.
 */
export const EXAMPLES: Readonly<Record<string, unknown>> = {
  CapabilityName: 'find-shoes',
  Endpoint: 'https://shop.example.com/svc',
  Namespace: 'com.example.shop',
  Origin: 'https://shop.example.com',
  RuntimeId: 'rt_shoe-shop',
  SemVer: '1.4.0',
  Timestamp: '2026-03-04T16:41:09.310Z',
  WebUrl: 'https://shop.example.com',
  address: 'https://svc.example.com/v1/capabilities/rt_shoe-shop/find-shoes',
  callId: 'call_1BnTtEXAMPLEcall1',
  capability: 'find-shoes',
  checkoutId: 'chk_1BnTtEXAMPLEpay01',
  contact: 'help@shop.example.com',
  content: 'Are there red shoes below 60?',
  currency: 'usd',
  currentPassword: 'EXAMPLE-long-password',
  deployKey: 'svc_sk_EXAMPLE_not_a_key',
  deployKeyPrefix: 'svc_sk_EXAM…PLE1',
  deviceCode: 'EXAMPLE-device-code',
  description: 'Finds shoes by words and price.',
  email: 'ada@shop.example.com',
  endpoint: 'https://shop.example.com/svc',
  endUserToken: 'EXAMPLE-token-of-your-own-log-in',
  executionId: 'exec_1BnTtEXAMPLErun01',
  input: { query: 'red shoes', maxPrice: 60 },
  inputSchema: { type: 'object', properties: { query: { type: 'string' }, maxPrice: { type: 'number' } } },
  instructions: 'You help the customers of a shoe shop. Prices are in euros.',
  keyId: 'key_1BnTtEXAMPLEkey01',
  machine: 'ada-laptop',
  message: 'The shop did not answer in time.',
  metadata: { page: '/shoes' },
  name: 'shoe-shop',
  newPassword: 'EXAMPLE-other-password',
  nextCursor: 'WzE3NzI2NDI0NjkzMTAsImV4ZWNfMUJuVHQiXQ',
  origins: ['https://shop.example.com'],
  output: { shoes: [{ name: 'Canvas Red', price: 49.9 }] },
  outputSchema: { type: 'object', properties: { shoes: { type: 'array' } } },
  password: 'EXAMPLE-long-password',
  projectId: 'proj_1BnTtEXAMPLEshop1',
  publicKey: 'svc_pk_EXAMPLE_not_a_key',
  publicKeyPrefix: 'svc_pk_EXAM…PLE2',
  runtimeId: 'rt_shoe-shop',
  secret: 'EXAMPLE-signing-secret',
  token: 'EXAMPLE-session-token',
  url: 'https://shop.example.com',
  userCode: 'WDJB-MJHT',
  version: '1.4.0',
}

/** A streamed execution, as it is on the wire. */
export const STREAM_EXAMPLE = `event: text
data: {"type":"text","content":"Yes: Canvas Red, for 49.90."}

event: done
data: {"type":"done","executionId":"exec_1BnTtEXAMPLErun01","status":"completed"}

`
