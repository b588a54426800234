import { relative } from 'node:path'
import { type FieldErrors, fieldErrorsOf, type JsonObject, RuntimeId, SvcConfig, SvcSettings } from '@svc/contract'
import type { CliDeps, Environment } from '../deps.ts'
import { invalidFields } from '../failures.ts'
import { nearestName } from '../nearest-name.ts'
import { readBaseUrl } from './base-url.ts'
import type { Project } from './load-project.ts'

// What to write where the message says only what is wrong.
const EXAMPLES = new Map([
  ['runtime', "runtime: './src/runtime.ts'"],
  ['endpoint', "endpoint: 'https://shop.example.com/svc'"],
  ['website', "website: { name: 'Example Shop', url: 'https://shop.example.com' }"],
  ['website.name', "name: 'Example Shop'"],
  ['website.description', "description: 'Everything for the garden'"],
  ['website.contact', "contact: 'help@shop.example.com'"],
  ['website.color', "color: '#1f4fd8'"],
  ['adp', "adp: { namespace: 'com.example.shop' }"],
  ['adp.namespace', "namespace: 'com.example.shop'"],
  ['adp.id', "id: 'com.example.shop'"],
  ['agent', "agent: { instructions: 'Answer in one paragraph.' }"],
  ['endUsers', "endUsers: { issuer: 'https://login.example.com' }"],
  ['endUsers.issuer', "issuer: 'https://login.example.com'"],
  ['endUsers.audience', "audience: 'https://shop.example.com/api'"],
  ['endUsers.jwksUri', "jwksUri: 'https://login.example.com/jwks.json'"],
  ['endUsers.scopes', "scopes: ['orders:read']"],
  ['generators', "generators: { disabled: ['openapi'] }"],
  ['generators.disabled', "disabled: ['openapi']"],
  ['generators.custom', 'custom: [routesGenerator]'],
  ['agent.instructions', "instructions: 'Answer in one paragraph.'"],
  ['agent.limits', 'limits: { steps: 10, tokens: 50_000 }'],
  ['agent.limits.steps', 'steps: 10'],
  ['agent.limits.tokens', 'tokens: 50_000'],
])

const FIELDS = ['apiKey', 'website.url', ...EXAMPLES.keys()]

type Deps = Pick<CliDeps, 'env' | 'cwd'>
type Input = { readonly configFile: string; readonly configuration: JsonObject }
type Schema<T> = {
  safeParse(value: unknown): { success: true; data: T } | { success: false; error: Parameters<typeof fieldErrorsOf>[0] }
}
type Surroundings = Pick<Project, 'baseUrl' | 'runtimeId'>

/** The configuration without its key, and the environment; every fault of both is reported at once. */
export function validateSettings(deps: Deps, input: Input): Surroundings & { config: SvcSettings } {
  const { apiKey: _unused, ...settings } = input.configuration
  const { value, surroundings } = validated(deps, { ...input, schema: SvcSettings, configuration: settings })
  return { config: value, ...surroundings }
}

/** As {@link validateSettings}, and the key. */
export function validateConfiguration(
  deps: Deps,
  input: Input,
): Surroundings & { config: SvcSettings; apiKey: string } {
  const { value, surroundings } = validated(deps, { ...input, schema: SvcConfig })
  const { apiKey, ...config } = value
  return { config, apiKey, ...surroundings }
}

function validated<T>(
  deps: Deps,
  { schema, configuration, configFile }: Input & { schema: Schema<T> },
): { value: T; surroundings: Surroundings } {
  const parsed = schema.safeParse(configuration)
  const { faults: surroundingFaults, ...surroundings } = readSurroundings(deps.env)
  const faults = {
    ...(parsed.success ? {} : withExamples(fieldErrorsOf(parsed.error, 'configuration'))),
    ...surroundingFaults,
  }
  if (parsed.success && Object.keys(faults).length === 0) return { value: parsed.data, surroundings }
  throw invalidFields(`The configuration is not valid (${relative(deps.cwd, configFile)}).`, faults)
}

function readSurroundings(env: Environment): Surroundings & { faults: FieldErrors } {
  const { baseUrl, problem } = readBaseUrl(env)
  const runtimeId = env['SVC_RUNTIME_ID'] || null
  const id = RuntimeId.nullable().safeParse(runtimeId)
  const faults = {
    ...(problem === null ? {} : { SVC_BASE_URL: [problem] }),
    ...(id.success ? {} : { SVC_RUNTIME_ID: id.error.issues.map(({ message }) => message) }),
  }
  return { baseUrl, runtimeId, faults }
}

function withExamples(faults: FieldErrors): FieldErrors {
  const shown = Object.entries(faults).map(([field, messages]) => {
    if (messages.some((message) => message.startsWith('is not a known field'))) return [field, [unknownField(field)]]
    const example = EXAMPLES.get(field)
    const help = (message: string) => (example && isBare(message) ? `${message} For example ${example}` : message)
    return [field, messages.map(help)]
  })
  return Object.fromEntries(shown)
}

function unknownField(field: string): string {
  const parent = field.slice(0, field.lastIndexOf('.') + 1)
  const names = FIELDS.flatMap((known) => {
    const name = known.startsWith(parent) ? known.slice(parent.length) : ''
    return name === '' || name.includes('.') ? [] : [name]
  })
  const nearest = nearestName(field.slice(parent.length), names)
  const way = nearest === null ? 'Remove it, or check its spelling.' : `Did you mean ${nearest}?`
  return `is not a known field. ${way}`
}

const BARE =
  /^(is required \(|must not be (empty|null)|must have at (least|most) |must be (a (text|number|list|JSON object)|true or false)\b)/

function isBare(message: string): boolean {
  return BARE.test(message)
}
