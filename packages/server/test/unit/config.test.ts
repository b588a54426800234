import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { limitVariable, readConfig, reportFaults } from '../../src/config.ts'
import type { Environment } from '../../src/lib/environment.ts'
import { DEFAULT_LIMITS } from '../../src/limits.ts'
import { Secret } from '../../src/secrets/secret.ts'

const KEY = randomBytes(32).toString('base64')

function configOf(env: Environment) {
  const read = readConfig(env)
  if (!read.ok) throw new Error(JSON.stringify(read.faults))
  return read.config
}

function faultsOf(env: Environment) {
  const read = readConfig(env)
  return read.ok ? {} : read.faults
}

describe('defaults', () => {
  // holds OPS-02
  test('an empty environment is a service for one’s own machine', () => {
    expect(configOf({})).toEqual({
      host: '127.0.0.1',
      port: 8787,
      store: { engine: 'sqlite', folder: '.svc-data' },
      baseUrl: null,
      nodeUrl: null,
      masterKeys: null,
      allowLocalEndpoints: true,
      testPayments: true,
      proxyHops: 0,
      modelSpec: undefined,
      modelPrices: null,
      logLevel: 'info',
      ops: null,
      drainDelayMs: 0,
      mail: null,
      traces: null,
      stripe: null,
      limits: DEFAULT_LIMITS,
    })
  })

  test('an empty variable is as good as none', () => {
    const empty = [
      'HOST',
      'PORT',
      'DATABASE_URL',
      'SVC_BASE_URL',
      'SVC_MASTER_KEY',
      'SVC_LIMIT_STEPS',
      'SVC_ALLOW_LOCAL_ENDPOINTS',
      'SVC_TEST_PAYMENTS',
      'NODE_ENV',
      'SVC_OPS_PORT',
      'SVC_DRAIN_DELAY_MS',
      'OTEL_EXPORTER_OTLP_ENDPOINT',
    ]
    expect(configOf(Object.fromEntries(empty.map((name) => [name, ''])))).toEqual(configOf({}))
  })

  test('variables of other programs do not matter', () => {
    expect(configOf({ PATH: '/bin', HOME: '/root', SVC_API_KEY: 'x', MODEL: 'x' })).toEqual(configOf({}))
  })

  // holds LIM-11, LOOP-12, OUT-09
  test('the limits are those of the specification', () => {
    expect(DEFAULT_LIMITS).toMatchObject({
      steps: 25,
      parallelCalls: 5,
      dispatchMs: 30_000,
      modelMs: 120_000,
      executionMs: 300_000,
      bodyBytes: 1_048_576,
      jsonDepth: 32,
      capabilities: 128,
      schemaBytes: 65_536,
      responseBytes: 1_048_576,
      modelOutputBytes: 65_536,
      storedBytes: 65_536,
      messages: 200,
      metadataBytes: 8192,
      endUserTokenBytes: 8192,
    })
  })
})

describe('what is given', () => {
  // holds OPS-07
  test('is read', () => {
    const config = configOf({
      HOST: '0.0.0.0',
      PORT: '0',
      DATABASE_URL: 'postgresql://svc@db/svc',
      SVC_BASE_URL: 'https://svc.example.com/base//',
      SVC_MASTER_KEY: `${KEY},${KEY}`,
      SVC_TRUST_PROXY: '2',
      SVC_MODEL: 'openai:gpt-5',
      SVC_LOG_LEVEL: 'silent',
    })
    expect(config).toMatchObject({
      host: '0.0.0.0',
      port: 0,
      store: { engine: 'postgres', url: 'postgresql://svc@db/svc' },
      baseUrl: 'https://svc.example.com/base',
      masterKeys: [Buffer.from(KEY, 'base64'), Buffer.from(KEY, 'base64')],
      proxyHops: 2,
      modelSpec: 'openai:gpt-5',
      logLevel: 'silent',
      stripe: null,
    })
  })

  test('is an operations port, on loopback unless it has a host of its own', () => {
    expect(configOf({ HOST: '10.0.0.7', SVC_OPS_PORT: '9464' }).ops).toEqual({ host: '127.0.0.1', port: 9464 })
    expect(configOf({ SVC_OPS_HOST: '::', SVC_OPS_PORT: '0' }).ops).toEqual({ host: '::', port: 0 })
    expect(configOf({ SVC_OPS_HOST: '::' }).ops).toBeNull()
    expect(configOf({ SVC_DRAIN_DELAY_MS: '5000' }).drainDelayMs).toBe(5_000)
  })

  // holds OPS-08, OUT-14
  test.each([
    [{}, true],
    [{ HOST: 'localhost' }, true],
    [{ HOST: '::1' }, true],
    [{ SVC_BASE_URL: 'http://localhost:8787' }, true],
    [{ SVC_BASE_URL: 'http://127.0.0.1:8787/' }, true],
    [{ SVC_BASE_URL: 'http://[::1]:8787' }, true],
    [{ SVC_TRUST_PROXY: '0' }, true],
    [{ NODE_ENV: 'development' }, true],
    [{ HOST: '0.0.0.0' }, false],
    [{ HOST: 'svc.example.com' }, false],
    [{ SVC_BASE_URL: 'https://svc.example.com' }, false],
    [{ SVC_BASE_URL: 'http://localhost.example.com' }, false],
    [{ SVC_TRUST_PROXY: '1' }, false],
    [{ NODE_ENV: 'production' }, false],
    [{ DATABASE_URL: 'postgres://db/svc', SVC_MASTER_KEY: KEY }, false],
  ])('%j is a developer’s own machine: %s', (env, isLocal) => {
    expect(configOf(env)).toMatchObject({ allowLocalEndpoints: isLocal, testPayments: isLocal })
    for (const [value, isOn] of [
      ['1', true],
      ['0', false],
    ] as const) {
      const { allowLocalEndpoints, testPayments } = configOf({ ...env, SVC_ALLOW_LOCAL_ENDPOINTS: value })
      expect([allowLocalEndpoints, testPayments]).toEqual([isOn, isLocal])
      expect(configOf({ ...env, SVC_TEST_PAYMENTS: value })).toMatchObject({
        allowLocalEndpoints: isLocal,
        testPayments: isOn,
      })
    }
  })

  test('is a payment provider where its key is given, with or without the rest', () => {
    const key = 'sk_live_Abc123'
    const alone = configOf({ STRIPE_SECRET_KEY: key }).stripe
    expect(alone).toEqual({ secretKey: expect.any(Secret), webhookSecret: null, apiUrl: null })
    expect(alone?.secretKey.reveal()).toBe(key)
    const whole = configOf({
      STRIPE_SECRET_KEY: 'rk_test_1',
      STRIPE_WEBHOOK_SECRET: 'whsec_a/b+c=',
      STRIPE_API_URL: 'http://127.0.0.1:12111/',
    }).stripe
    expect(whole?.webhookSecret?.reveal()).toBe('whsec_a/b+c=')
    expect(whole?.apiUrl).toBe('http://127.0.0.1:12111')
    expect(JSON.stringify(whole)).not.toMatch(/rk_test|whsec/)
  })

  // holds LIM-11
  test('every limit has a variable of its own, and each sets that limit alone', () => {
    for (const name of Object.keys(DEFAULT_LIMITS)) {
      expect(configOf({ [limitVariable(name)]: '7' }).limits).toEqual({ ...DEFAULT_LIMITS, [name]: 7 })
    }
    expect(
      ['steps', 'dispatchMs', 'modelMs', 'executionMs', 'bodyBytes', 'endUserTokenBytes'].map(limitVariable),
    ).toEqual([
      'SVC_LIMIT_STEPS',
      'SVC_LIMIT_DISPATCH_MS',
      'SVC_LIMIT_MODEL_MS',
      'SVC_LIMIT_EXECUTION_MS',
      'SVC_LIMIT_BODY_BYTES',
      'SVC_LIMIT_END_USER_TOKEN_BYTES',
    ])
  })
})

describe('faults', () => {
  test('are all told at once, each under its variable', () => {
    const faults = faultsOf({
      PORT: 'http',
      DATABASE_URL: 'mysql://db/svc',
      SVC_BASE_URL: 'svc.example.com',
      SVC_ALLOW_LOCAL_ENDPOINTS: 'yes',
      SVC_TEST_PAYMENTS: 'yes',
      SVC_MODEL_PRICES: '0.15',
      SVC_LOG_LEVEL: 'loud',
      SVC_LIMIT_STEPS: '0',
      SVC_LIMIT_DISPATCH_MS: '30s',
    })
    expect(Object.keys(faults).sort()).toEqual([
      'DATABASE_URL',
      'PORT',
      'SVC_ALLOW_LOCAL_ENDPOINTS',
      'SVC_BASE_URL',
      'SVC_LIMIT_DISPATCH_MS',
      'SVC_LIMIT_STEPS',
      'SVC_LOG_LEVEL',
      'SVC_MASTER_KEY',
      'SVC_MODEL_PRICES',
      'SVC_TEST_PAYMENTS',
    ])
  })

  // holds OPS-05
  test('PostgreSQL without a master key is one, whatever else is wrong', () => {
    expect(faultsOf({ DATABASE_URL: 'postgres://db/svc' })['SVC_MASTER_KEY']?.[0]).toContain('openssl rand -base64 32')
    expect(Object.keys(faultsOf({ DATABASE_URL: 'postgres://db/svc', PORT: 'x' })).sort()).toEqual([
      'PORT',
      'SVC_MASTER_KEY',
    ])
  })

  test.each([
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['PORT', '0x50'],
    ['SVC_BASE_URL', 'ftp://svc.example.com'],
    ['SVC_BASE_URL', 'https://svc.example.com/?x=1'],
    ['SVC_BASE_URL', 'https://svc.example.com/#top'],
    ['SVC_BASE_URL', 'https://user:password@svc.example.com'],
    ['DATABASE_URL', '/var/run/postgres'],
    ['SVC_MASTER_KEY', 'short'],
    ['SVC_MASTER_KEY', `${KEY},short`],
    ['STRIPE_SECRET_KEY', 'pk_live_1'],
    ['STRIPE_SECRET_KEY', 'sk_live_1 2'],
    ['STRIPE_WEBHOOK_SECRET', 'sk_live_1'],
    ['STRIPE_API_URL', 'api.stripe.test'],
    ['STRIPE_API_URL', 'https://proxy.example.com/stripe'],
    ['SVC_TRUST_PROXY', 'true'],
    ['SVC_TRUST_PROXY', '-1'],
    ['SVC_TRUST_PROXY', '11'],
    ['SVC_TRUST_PROXY', '127.0.0.1'],
    ['SVC_OPS_PORT', '70000'],
    ['SVC_DRAIN_DELAY_MS', '20001'],
    ['SVC_DRAIN_DELAY_MS', '5s'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['SVC_LIMIT_STEPS', '-1'],
    ['SVC_LIMIT_STEPS', '1.5'],
    ['SVC_LIMIT_STEPS', '1e3'],
    ['SVC_LIMIT_STEPS', 'ten'],
    ['SVC_LIMIT_BODY_BYTES', '1MiB'],
    ['SVC_LIMIT_BODY_BYTES', '9'.repeat(13)],
    ['SVC_LIMIT_EXECUTION_MS', '2147483648'],
    ['SVC_LIMIT_MODEL_MS', '999999999999'],
  ])('%s=%s is one', (name, value) => {
    expect(Object.keys(faultsOf({ [name]: value }))).toContain(name)
  })

  test('a time that no timer can hold is refused, the longest one that it can is not', () => {
    expect(configOf({ SVC_LIMIT_EXECUTION_MS: '2147483647' }).limits.executionMs).toBe(2_147_483_647)
    expect(faultsOf({ SVC_LIMIT_EXECUTION_MS: '2147483648' })).toEqual({
      SVC_LIMIT_EXECUTION_MS: ['must be at most 2147483647 milliseconds.'],
    })
  })

  test('a part of Stripe without its key is one: nobody should get the test provider by mistake', () => {
    const faults = faultsOf({ STRIPE_WEBHOOK_SECRET: 'whsec_1', STRIPE_API_URL: 'http://127.0.0.1:1' })
    expect(faults).toEqual({ STRIPE_SECRET_KEY: ['is required with STRIPE_WEBHOOK_SECRET and STRIPE_API_URL.'] })
  })

  test('repeat no secret', () => {
    const faults = faultsOf({
      SVC_MASTER_KEY: 'hunter2',
      DATABASE_URL: 'mysql://svc:hunter2@db/svc',
      STRIPE_SECRET_KEY: 'hunter2',
      STRIPE_WEBHOOK_SECRET: 'hunter2',
    })
    expect(Object.keys(faults)).toHaveLength(4)
    expect(JSON.stringify(faults)).not.toContain('hunter2')
  })

  test('read on a terminal, one variable a line', () => {
    expect(reportFaults({ PORT: ['must be a port number.'], SVC_MASTER_KEY: ['is short.', 'is odd.'] })).toBe(
      'The configuration is not valid:\n  PORT must be a port number.\n  SVC_MASTER_KEY is short. is odd.\n',
    )
  })
})
