import type { FieldErrors } from '@svc/contract'
import type { Environment } from '../lib/environment.ts'

/** Where spans are sent and which. The exporter itself reads headers for the receiver from the environment. */
export interface TraceSettings {
  /** With its path. */
  url: string
  serviceName: string
  /** Further attributes of the process, as the operator wrote them. */
  resource: Readonly<Record<string, string>>
  /** The share of traces that are kept, 0 to 1. */
  ratio: number
}

export type TraceSettingsResult = { ok: true; settings: TraceSettings | null } | { ok: false; faults: FieldErrors }

const RATIOS: Readonly<Record<string, number | null>> = { always_on: 1, always_off: 0, traceidratio: null }

/** Reads OpenTelemetry’s own variables. Null where no receiver is named, or tracing is switched off. */
export function readTraceSettings(env: Environment): TraceSettingsResult {
  const endpoint = firstSet(env, ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'])
  if (!endpoint || env['OTEL_SDK_DISABLED'] === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none') {
    return { ok: true, settings: null }
  }
  const protocol = firstSet(env, ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'])
  const sampler = (env['OTEL_TRACES_SAMPLER'] ?? 'always_on').replace(/^parentbased_/, '')
  const share = Number(env['OTEL_TRACES_SAMPLER_ARG'] ?? '1')
  const faults = { ...receiverFaults(endpoint, protocol), ...samplerFaults(sampler, share) }
  if (Object.keys(faults).length > 0) return { ok: false, faults }
  // The general variable is a base to which each signal adds its path. The one for traces is the whole address.
  const isBase = endpoint.name === 'OTEL_EXPORTER_OTLP_ENDPOINT'
  return {
    ok: true,
    settings: {
      url: isBase ? `${endpoint.value.replace(/\/+$/, '')}/v1/traces` : endpoint.value,
      serviceName: env['OTEL_SERVICE_NAME'] ?? 'svc',
      resource: resourceOf(env['OTEL_RESOURCE_ATTRIBUTES'] ?? ''),
      ratio: RATIOS[sampler] ?? share,
    },
  }
}

function receiverFaults(endpoint: Variable, protocol: Variable | undefined): FieldErrors {
  const isUrl = URL.canParse(endpoint.value) && /^https?:$/.test(new URL(endpoint.value).protocol)
  const isSpoken = protocol === undefined || protocol.value === 'http/json'
  const spoken = 'must be http/json: no other protocol is spoken. Receivers take it on port 4318.'
  return {
    ...(!isUrl && { [endpoint.name]: ['must be an http(s) URL, such as http://127.0.0.1:4318.'] }),
    ...(!isSpoken && { [protocol.name]: [spoken] }),
  }
}

function samplerFaults(sampler: string, share: number): FieldErrors {
  if (!(sampler in RATIOS)) {
    const names = Object.keys(RATIOS).join(', ')
    return { OTEL_TRACES_SAMPLER: [`must be one of ${names}, each also as parentbased_….`] }
  }
  return share >= 0 && share <= 1 ? {} : { OTEL_TRACES_SAMPLER_ARG: ['must be a share from 0 to 1.'] }
}

interface Variable {
  name: string
  value: string
}

function firstSet(env: Environment, names: readonly string[]): Variable | undefined {
  return names.flatMap((name) => (env[name] ? [{ name, value: env[name] }] : []))[0]
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
