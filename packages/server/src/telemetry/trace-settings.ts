import type { FieldErrors } from '@svc/contract'
import type { Environment } from '../lib/environment.ts'

/** Where spans are sent and which. Headers for the receiver are read from the environment by the exporter itself. */
export interface TraceSettings {
  /** The whole address, path included. */
  url: string
  serviceName: string
  /** Further attributes of the process, as the operator wrote them. */
  resource: Readonly<Record<string, string>>
  /** The share of traces that are kept, 0 to 1. */
  ratio: number
}

export type TraceSettingsResult = { ok: true; settings: TraceSettings | null } | { ok: false; faults: FieldErrors }

const PATH = 'v1/traces'
const SAMPLERS = ['always_on', 'always_off', 'traceidratio']
const JSON_PROTOCOL = 'http/json'

/** Reads OpenTelemetry’s own variables. Null where no receiver is named, or tracing is switched off. */
export function readTraceSettings(env: Environment): TraceSettingsResult {
  const url = receiverOf(env)
  if (url === null || env['OTEL_SDK_DISABLED'] === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none') {
    return { ok: true, settings: null }
  }
  const sampler = (env['OTEL_TRACES_SAMPLER'] ?? 'always_on').replace(/^parentbased_/, '')
  const ratio = Number(env['OTEL_TRACES_SAMPLER_ARG'] ?? '1')
  const faults = { ...protocolFaults(env), ...urlFaults(url, env), ...samplerFaults(sampler, ratio) }
  if (Object.keys(faults).length > 0) return { ok: false, faults }
  return {
    ok: true,
    settings: {
      url,
      serviceName: env['OTEL_SERVICE_NAME'] ?? 'svc',
      resource: resourceOf(env['OTEL_RESOURCE_ATTRIBUTES'] ?? ''),
      ratio: { always_on: 1, always_off: 0 }[sampler] ?? ratio,
    },
  }
}

// The general variable is a base to which each signal adds its path; the one for traces alone is used as it is.
function receiverOf(env: Environment): string | null {
  const own = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']
  if (own !== undefined) return own
  const base = env['OTEL_EXPORTER_OTLP_ENDPOINT']
  return base === undefined ? null : `${base.replace(/\/+$/, '')}/${PATH}`
}

function protocolFaults(env: Environment): FieldErrors {
  const name = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'].find((each) => env[each])
  if (name === undefined || env[name] === JSON_PROTOCOL) return {}
  return { [name]: ['must be http/json: no other protocol is spoken. Receivers take it on port 4318.'] }
}

function urlFaults(url: string, env: Environment): FieldErrors {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return {}
  const name = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] === undefined ? 'ENDPOINT' : 'TRACES_ENDPOINT'
  return { [`OTEL_EXPORTER_OTLP_${name}`]: ['must be an http(s) URL, such as http://127.0.0.1:4318.'] }
}

function samplerFaults(sampler: string, ratio: number): FieldErrors {
  if (!SAMPLERS.includes(sampler)) {
    return { OTEL_TRACES_SAMPLER: [`must be one of ${SAMPLERS.join(', ')}, each also as parentbased_….`] }
  }
  return ratio >= 0 && ratio <= 1 ? {} : { OTEL_TRACES_SAMPLER_ARG: ['must be a share from 0 to 1.'] }
}

function resourceOf(list: string): Record<string, string> {
  const pairs = list.split(',').map((pair) => pair.split('='))
  return Object.fromEntries(pairs.flatMap(([name, value]) => (name && value ? [[name.trim(), decoded(value)]] : [])))
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value.trim())
  } catch {
    return value.trim()
  }
}
