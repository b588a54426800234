import { expect, test } from 'vitest'
import { readTraceSettings } from '../../src/telemetry/trace-settings.ts'

const RECEIVER = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' }

test.each([
  [{}],
  [{ OTEL_SERVICE_NAME: 'shop', OTEL_TRACES_SAMPLER: 'always_on' }],
  [{ ...RECEIVER, OTEL_SDK_DISABLED: 'true' }],
  [{ ...RECEIVER, OTEL_TRACES_EXPORTER: 'none' }],
])('%j traces nothing', (env) => {
  expect(readTraceSettings(env)).toEqual({ ok: true, settings: null })
})

test('a receiver is enough: everything is kept, under the service’s own name', () => {
  expect(readTraceSettings(RECEIVER)).toEqual({
    ok: true,
    settings: { url: 'http://collector:4318/v1/traces', serviceName: 'svc', resource: {}, ratio: 1 },
  })
})

test('the variable for traces alone is used as it is, and the standard ones are honoured', () => {
  const env = {
    ...RECEIVER,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://otlp.example.com/in',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_SERVICE_NAME: 'svc-eu',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=prod, team=a%20b,broken,=x,odd=%zz',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
  }
  expect(readTraceSettings(env)).toEqual({
    ok: true,
    settings: {
      url: 'https://otlp.example.com/in',
      serviceName: 'svc-eu',
      resource: { 'deployment.environment': 'prod', team: 'a b', odd: '%zz' },
      ratio: 0.25,
    },
  })
})

test.each([
  ['always_on', undefined, 1],
  ['always_off', '1', 0],
  ['parentbased_always_off', undefined, 0],
  ['traceidratio', undefined, 1],
] as const)('the sampler %s with %s keeps a share of %d', (sampler, ratio, kept) => {
  const env = { ...RECEIVER, OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: ratio }
  expect(readTraceSettings(env)).toMatchObject({ settings: { ratio: kept } })
})

test.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
  ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'grpc://collector'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'http/protobuf'],
  ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
  ['OTEL_TRACES_SAMPLER_ARG', '2'],
  ['OTEL_TRACES_SAMPLER_ARG', 'half'],
])('%s=%s is a fault of that variable', (name, value) => {
  const read = readTraceSettings({ ...RECEIVER, [name]: value })
  expect(read.ok ? [] : Object.keys(read.faults)).toEqual([name])
})
