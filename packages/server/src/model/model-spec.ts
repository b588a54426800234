import type { Environment } from '../lib/environment.ts'
import { ModelConfigError } from './model-config-error.ts'

const PROVIDERS = ['openai', 'anthropic', 'google', 'openai-compatible', 'demo'] as const
export type ProviderName = (typeof PROVIDERS)[number]

/** Which model to use: `<provider>:<model>`, as it stands in the environment. */
export interface ModelSpec {
  provider: ProviderName
  model: string
}

const EXAMPLES = 'openai:gpt-5-mini, anthropic:claude-haiku-4-5, openai-compatible:llama3.3 or demo:rules'

/** Throws {@link ModelConfigError} when the text names no provider, no model, or a provider that does not exist. */
export function parseModelSpec(variable: string, text: string): ModelSpec {
  const colon = text.indexOf(':')
  const name = text.slice(0, Math.max(colon, 0)).trim()
  const model = text.slice(colon + 1).trim()
  if (colon < 0 || name === '' || model === '') {
    throw new ModelConfigError(`${variable} must be <provider>:<model>, for example ${EXAMPLES}.`)
  }
  const provider = PROVIDERS.find((known) => known === name)
  if (provider === undefined) {
    throw new ModelConfigError(`${variable} names the provider "${name}". Set one of ${PROVIDERS.join(', ')}.`)
  }
  if (provider === 'demo' && model !== 'rules') {
    throw new ModelConfigError(`${variable} is "${text}": the built-in demo model is demo:rules.`)
  }
  return { provider, model }
}

const USUAL_MODELS = [
  { variable: 'OPENAI_API_KEY', spec: { provider: 'openai', model: 'gpt-5-mini' } },
  { variable: 'ANTHROPIC_API_KEY', spec: { provider: 'anthropic', model: 'claude-haiku-4-5' } },
  { variable: 'GOOGLE_GENERATIVE_AI_API_KEY', spec: { provider: 'google', model: 'gemini-flash-latest' } },
] as const

/**
 * The model where none is named: a usual one of the first provider whose key is there, else the demo model. Throws
 * {@link ModelConfigError} where a compatible server is set up but its model is not named.
 */
export function usualSpec(env: Environment): ModelSpec {
  const usual = USUAL_MODELS.find(({ variable }) => isSet(env[variable]))
  if (usual !== undefined) return usual.spec
  const halfSet = ['SVC_MODEL_BASE_URL', 'SVC_MODEL_API_KEY'].find((variable) => isSet(env[variable]))
  if (halfSet !== undefined) {
    throw new ModelConfigError(
      `${halfSet} is set but SVC_MODEL is not. Name the model too: SVC_MODEL=openai-compatible:<model>.`,
    )
  }
  return { provider: 'demo', model: 'rules' }
}

export function isSet(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== ''
}
