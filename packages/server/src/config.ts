import { type FieldErrors, fieldErrorsOf } from '@svc/contract'
import { z } from 'zod'
import type { StripeSettings } from './billing/payments/stripe-payments.ts'
import type { Environment } from './lib/environment.ts'
import { DEFAULT_LIMITS, type Limits } from './limits.ts'
import { type MasterKeys, parseMasterKeys } from './secrets/master-key.ts'
import { Secret } from './secrets/secret.ts'
import { readTraceSettings, type TraceSettings } from './telemetry/trace-settings.ts'

export type Store = { engine: 'sqlite'; folder: string } | { engine: 'postgres'; url: string }

/** The service's configuration. What the environment leaves out has its default. */
export interface Config {
  host: string
  port: number
  store: Store
  /** Null: the address that is served on. */
  baseUrl: string | null
  /** Null: the embedded store's own, in its data folder. */
  masterKeys: MasterKeys | null
  allowLocalEndpoints: boolean
  /** Whether the labelled test checkout stands in where there is no payment provider. */
  testPayments: boolean
  /** How many proxies of the operator's own stand before the service. */
  proxyHops: number
  /** `<provider>:<model>`; undefined where the keys that are present decide. */
  modelSpec: string | undefined
  logLevel: string
  /** Null: nothing is told of readiness and in numbers. */
  ops: { host: string; port: number } | null
  /** How long the service still takes requests once it has said that it is not ready any more. */
  drainDelayMs: number
  /** Null: nothing is traced. */
  traces: TraceSettings | null
  /** Null: no payment provider. */
  stripe: StripeSettings | null
  limits: Limits
}

const LOOPBACK = new Set(['127.0.0.1', '::1', '[::1]', 'localhost'])
const LOCAL_ADDRESS = '127.0.0.1'

const Port = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a port number.')
  .transform(Number)
  .refine((port) => port <= 65_535, 'must be a port number.')

const BaseUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http(s) URL, such as https://svc.example.com.' })
  .refine((url) => !/^\w+:\/\/[^/]*@/.test(url), 'must not carry a user name or a password: it is published.')
  .refine((url) => !/[?#]/.test(url), 'must not carry a query or a fragment: paths are appended to it.')
  .transform((url) => url.replace(/\/+$/, ''))

const PROXY_HOPS = 'must be a whole number of proxies from 0 to 10.'

const DRAIN_DELAY = 'must be a whole number of milliseconds from 0 to 20000.'

const Switch = z.enum(['0', '1'], 'must be 0 or 1.').transform((value) => value === '1')

const DrainDelay = z
  .string()
  .regex(/^\d{1,5}$/, DRAIN_DELAY)
  .transform(Number)
  .refine((ms) => ms <= 20_000, DRAIN_DELAY)

const ProxyHops = z
  .string()
  .regex(/^(\d|10)$/, PROXY_HOPS)
  .transform(Number)

const DatabaseUrl = z.string().regex(/^postgres(ql)?:\/\//, 'must start with postgres://.')

const Ring = z.string().transform((ring, context): MasterKeys => {
  try {
    return parseMasterKeys(ring)
  } catch {
    context.addIssue({
      code: 'custom',
      message: 'must be 32-byte keys in base64, separated by commas (openssl rand -base64 32).',
    })
    return z.NEVER
  }
})

const StripeKey = secretOf(/^[sr]k_\w+$/, 'must be a secret key of Stripe’s, which starts with sk_ or rk_.')
const WebhookSecret = secretOf(
  /^whsec_\S+$/,
  'must be the signing secret of a Stripe webhook, which starts with whsec_.',
)
const StripeUrl = BaseUrl.refine(
  (url) => URL.canParse(url) && new URL(url).pathname === '/',
  'must not carry a path: Stripe’s own are appended to it.',
)

function secretOf(form: RegExp, message: string) {
  return z
    .string()
    .regex(form, message)
    .transform((value) => new Secret(value))
}

const Variables = z.object({
  HOST: z.string().default(LOCAL_ADDRESS),
  PORT: Port.default(8787),
  SVC_DATA_DIR: z.string().default('.svc-data'),
  DATABASE_URL: DatabaseUrl.optional(),
  SVC_BASE_URL: BaseUrl.optional(),
  SVC_MASTER_KEY: Ring.optional(),
  SVC_ALLOW_LOCAL_ENDPOINTS: Switch.optional(),
  SVC_TEST_PAYMENTS: Switch.optional(),
  NODE_ENV: z.string().optional(),
  SVC_TRUST_PROXY: ProxyHops.default(0),
  SVC_MODEL: z.string().optional(),
  SVC_OPS_HOST: z.string().default(LOCAL_ADDRESS),
  SVC_OPS_PORT: Port.optional(),
  SVC_DRAIN_DELAY_MS: DrainDelay.default(0),
  STRIPE_SECRET_KEY: StripeKey.optional(),
  STRIPE_WEBHOOK_SECRET: WebhookSecret.optional(),
  STRIPE_API_URL: StripeUrl.optional(),
  SVC_LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']).default('info'),
})

export type ConfigResult = { ok: true; config: Config } | { ok: false; faults: FieldErrors }

/** Reads the environment. All failing variables are reported together, each with its fix. */
export function readConfig(env: Environment): ConfigResult {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''))
  const variables = Variables.safeParse(given)
  const limits = readLimits(given)
  const traces = readTraceSettings(given)
  const faults = {
    ...(variables.success ? {} : fieldErrorsOf(variables.error)),
    ...masterKeyFault(given),
    ...stripeFaults(given),
    ...limits.faults,
    ...(traces.ok ? {} : traces.faults),
  }
  if (!variables.success || !traces.ok || Object.keys(faults).length > 0) return { ok: false, faults }
  return { ok: true, config: { ...toConfig(variables.data, limits.values), traces: traces.settings } }
}

function masterKeyFault(env: Environment): FieldErrors {
  if (env['DATABASE_URL'] === undefined || env['SVC_MASTER_KEY'] !== undefined) return {}
  const message = 'is required with PostgreSQL: replicas must share it. Make one with “openssl rand -base64 32”.'
  return { SVC_MASTER_KEY: [message] }
}

// Half of the settings is a mistake: without the key no payment would reach Stripe.
function stripeFaults(env: Environment): FieldErrors {
  if (env['STRIPE_SECRET_KEY'] !== undefined) return {}
  const others = ['STRIPE_WEBHOOK_SECRET', 'STRIPE_API_URL'].filter((name) => env[name] !== undefined)
  return others.length === 0 ? {} : { STRIPE_SECRET_KEY: [`is required with ${others.join(' and ')}.`] }
}

function stripeOf(data: z.infer<typeof Variables>): StripeSettings | null {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET, STRIPE_API_URL } = data
  if (!secretKey) return null
  return { secretKey, webhookSecret: STRIPE_WEBHOOK_SECRET ?? null, apiUrl: STRIPE_API_URL ?? null }
}

function opsOf({ SVC_OPS_HOST, SVC_OPS_PORT }: z.infer<typeof Variables>): Config['ops'] {
  return SVC_OPS_PORT === undefined ? null : { host: SVC_OPS_HOST, port: SVC_OPS_PORT }
}

/** A developer's own machine: the embedded store, a loopback host, and no sign of a deployment. */
function isDevelopment(data: z.infer<typeof Variables>): boolean {
  const isLocalStore = data.DATABASE_URL === undefined && LOOPBACK.has(data.HOST)
  const isPublished = data.SVC_BASE_URL !== undefined && !LOOPBACK.has(new URL(data.SVC_BASE_URL).hostname)
  return isLocalStore && !isPublished && data.SVC_TRUST_PROXY === 0 && data.NODE_ENV !== 'production'
}

function toConfig(data: z.infer<typeof Variables>, limits: Limits): Omit<Config, 'traces'> {
  const isLocal = isDevelopment(data)
  return {
    host: data.HOST,
    port: data.PORT,
    store: data.DATABASE_URL
      ? { engine: 'postgres', url: data.DATABASE_URL }
      : { engine: 'sqlite', folder: data.SVC_DATA_DIR },
    baseUrl: data.SVC_BASE_URL ?? null,
    masterKeys: data.SVC_MASTER_KEY ?? null,
    allowLocalEndpoints: data.SVC_ALLOW_LOCAL_ENDPOINTS ?? isLocal,
    testPayments: data.SVC_TEST_PAYMENTS ?? isLocal,
    proxyHops: data.SVC_TRUST_PROXY,
    modelSpec: data.SVC_MODEL,
    logLevel: data.SVC_LOG_LEVEL,
    ops: opsOf(data),
    drainDelayMs: data.SVC_DRAIN_DELAY_MS,
    stripe: stripeOf(data),
    limits,
  }
}

/** The variable that sets a limit: `dispatchMs` → `SVC_LIMIT_DISPATCH_MS`. */
export function limitVariable(name: string): string {
  return `SVC_LIMIT_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
}

function readLimits(env: Environment): { values: Limits; faults: FieldErrors } {
  const values = { ...DEFAULT_LIMITS }
  const faults: FieldErrors = {}
  for (const name of limitNames(values)) {
    const text = env[limitVariable(name)]
    if (text === undefined) continue
    const problem = limitProblem(name, text)
    if (problem === null) values[name] = Number(text)
    else faults[limitVariable(name)] = [problem]
  }
  return { values, faults }
}

// A timer that is set for longer fires at once.
const MAX_TIMER_MS = 2_147_483_647

function limitProblem(name: string, text: string): string | null {
  if (!/^[1-9]\d{0,11}$/.test(text)) return 'must be a whole number above zero.'
  const isTooLong = name.endsWith('Ms') && Number(text) > MAX_TIMER_MS
  return isTooLong ? `must be at most ${MAX_TIMER_MS} milliseconds.` : null
}

function limitNames(limits: Limits): (keyof Limits)[] {
  const names: (keyof Limits)[] = []
  for (const name in limits) if (isLimitName(name, limits)) names.push(name)
  return names
}

function isLimitName(name: string, limits: Limits): name is keyof Limits {
  return Object.hasOwn(limits, name)
}
