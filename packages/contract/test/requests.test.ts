import {
  AllowedOriginsRequest,
  BrokerRequest,
  CapabilityAnswer,
  CapabilityRequest,
  ERROR_STATUS,
  ErrorBody,
  ExecuteRequest,
  OwnerExecuteRequest,
  RegisterRuntimeRequest,
  RuntimeId,
  Timestamp,
} from '@svc/contract'
import { describe, expect, test } from 'vitest'

const messages = [{ role: 'user', parts: [{ type: 'text', content: 'hi' }] }]

describe('the end user', () => {
  test.each([undefined, '', ' ', '\t\n'])('%j is no token, on every route that takes one', (endUserToken) => {
    expect(ExecuteRequest.parse({ messages, endUserToken }).endUserToken).toBeUndefined()
    expect(CapabilityRequest.parse({ capability: 'echo', endUserToken }).endUserToken).toBeUndefined()
    expect(BrokerRequest.parse({ endUserToken }).endUserToken).toBeUndefined()
  })

  test.each(['t', ' t ', '{"a":1}'])('%j is a token, and stays as it is', (endUserToken) => {
    expect(BrokerRequest.parse({ endUserToken }).endUserToken).toBe(endUserToken)
  })

  test.each([null, 7, {}])('%j is refused', (endUserToken) => {
    expect(BrokerRequest.safeParse({ endUserToken }).success).toBe(false)
  })
})

describe('input and metadata', () => {
  test('a missing input is an empty object', () => {
    expect(BrokerRequest.parse({})).toEqual({ input: {} })
    expect(CapabilityRequest.parse({ capability: 'echo' })).toEqual({ capability: 'echo', input: {} })
  })

  test.each([null, [], 'x', 7])('%j is neither input nor metadata', (value) => {
    expect(BrokerRequest.safeParse({ input: value }).success).toBe(false)
    expect(BrokerRequest.safeParse({ metadata: value }).success).toBe(false)
    expect(ExecuteRequest.safeParse({ messages, metadata: value }).success).toBe(false)
  })
})

test('the owner may speak as the system, and names the runtime', () => {
  const withSystem = [{ role: 'system', parts: [{ type: 'text', content: 'Be brief.' }] }, ...messages]
  expect(OwnerExecuteRequest.safeParse({ runtimeId: 'rt_shop', messages: withSystem }).success).toBe(true)
  expect(OwnerExecuteRequest.safeParse({ messages: withSystem }).success).toBe(false)
})

describe('registration', () => {
  test.each(['rt_abcd', `rt_${'a'.repeat(64)}`, 'rt_A-b_9'])('%s is a runtime’s id', (runtimeId) => {
    expect(RuntimeId.parse(runtimeId)).toBe(runtimeId)
  })

  test.each([
    '',
    'rt_',
    'rt_abc',
    `rt_${'a'.repeat(65)}`,
    'abcd',
    'RT_abcd',
    'rt_ab.cd',
    'rt_ab/cd',
    'rt_äbcd',
    'rt_abcd\n',
  ])('%j is none', (runtimeId) => {
    expect(RuntimeId.safeParse(runtimeId).success).toBe(false)
  })

  test('a name has 1 to 100 characters that are not blank', () => {
    expect(RegisterRuntimeRequest.parse({ name: '  Shop  ' })).toEqual({ name: 'Shop' })
    expect(RegisterRuntimeRequest.safeParse({ name: 'x'.repeat(100) }).success).toBe(true)
    for (const name of ['', '   ', 'x'.repeat(101)])
      expect(RegisterRuntimeRequest.safeParse({ name }).success).toBe(false)
  })

  test('fifty origins are accepted, fifty-one are not, none means unrestricted', () => {
    const origins = Array.from({ length: 51 }, (_, index) => `https://shop${index}.example.com`)
    expect(AllowedOriginsRequest.safeParse({ origins: [] }).success).toBe(true)
    expect(AllowedOriginsRequest.safeParse({ origins: origins.slice(1) }).success).toBe(true)
    expect(AllowedOriginsRequest.safeParse({ origins }).error?.issues[0]?.message).toBe('accepts at most 50 origins.')
  })
})

// holds OUT-04
test('an endpoint’s answer may tell of a failure as an object or as a bare string', () => {
  for (const error of [{ message: 'sold out' }, 'sold out', null, undefined]) {
    expect(CapabilityAnswer.safeParse({ output: null, error }).success).toBe(true)
  }
  for (const error of [7, [], {}, { message: 7 }]) {
    expect(CapabilityAnswer.safeParse({ output: null, error }).success).toBe(false)
  }
})

// holds ERR-01, ERR-02
test('every error code has its status, and the envelope takes every one of them', () => {
  expect(ERROR_STATUS).toEqual({
    validation_error: 400,
    unauthorized: 401,
    forbidden: 403,
    not_found: 404,
    rate_limit_exceeded: 429,
    execution_error: 502,
    internal_error: 500,
  })
  for (const code of Object.keys(ERROR_STATUS)) {
    expect(ErrorBody.safeParse({ error: { code, message: 'x' } }).success).toBe(true)
  }
  expect(ErrorBody.safeParse({ error: { code: 'teapot', message: 'x' } }).success).toBe(false)
})

test('a time on the wire is ISO 8601 in UTC', () => {
  expect(Timestamp.safeParse(new Date(0).toISOString()).success).toBe(true)
  for (const time of ['1970-01-01', '1970-01-01T00:00:00', '1970-01-01T00:00:00+01:00', 'now', 0]) {
    expect(Timestamp.safeParse(time).success).toBe(false)
  }
})
