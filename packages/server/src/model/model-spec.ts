import type { Environment } from '../lib/environment.ts'

/** The environment names no usable model. The message names the variable and says what to set. */
export class ModelConfigError extends Error {
  override name = 'ModelConfigError'
}

/** How a provider is reached: its API, the environment variables that set it up, and their defaults. */
interface ProviderSettings {
  /** The API that it speaks; `providers.ts` has the client of each. */
  dialect: 'chat-completions' | 'anthropic' | 'google'
  /** Named as the provider's own documentation does, such as OPENAI_API_KEY. */
  keyVariable: string
  isKeyRequired: boolean
  baseUrlVariable: string
  /** With its version path. Null: `baseUrlVariable` is required. */
  defaultBaseUrl: string | null
  /** Used without SVC_MODEL where the key is set: a small model, by an alias that outlives its versions. Null: none. */
  defaultModel: string | null
}

/** In order of precedence: without SVC_MODEL, the first whose key is set is used. */
const NAMES = ['openai', 'anthropic', 'google', 'openai-compatible'] as const
type ProviderName = (typeof NAMES)[number]

export const PROVIDERS: Readonly<Record<ProviderName, ProviderSettings>> = {
  openai: {
    dialect: 'chat-completions',
    keyVariable: 'OPENAI_API_KEY',
    isKeyRequired: true,
    baseUrlVariable: 'OPENAI_BASE_URL',
    defaultBaseUrl: 'https://api.openai.com/v1',
    defaultModel: 'gpt-5-mini',
  },
  anthropic: {
    dialect: 'anthropic',
    keyVariable: 'ANTHROPIC_API_KEY',
    isKeyRequired: true,
    baseUrlVariable: 'ANTHROPIC_BASE_URL',
    defaultBaseUrl: 'https://api.anthropic.com/v1',
    defaultModel: 'claude-haiku-4-5',
  },
  google: {
    dialect: 'google',
    keyVariable: 'GOOGLE_GENERATIVE_AI_API_KEY',
    isKeyRequired: true,
    baseUrlVariable: 'GOOGLE_BASE_URL',
    defaultBaseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    defaultModel: 'gemini-flash-latest',
  },
  'openai-compatible': {
    dialect: 'chat-completions',
    keyVariable: 'SVC_MODEL_API_KEY',
    isKeyRequired: false,
    baseUrlVariable: 'SVC_MODEL_BASE_URL',
    defaultBaseUrl: null,
    defaultModel: null,
  },
}

/** A parsed `<provider>:<model>`. */
export type ModelSpec = ProviderSpec | { provider: 'demo' }

export interface ProviderSpec {
  provider: ProviderName
  model: string
}

const EXAMPLES = 'openai:gpt-5-mini, anthropic:claude-haiku-4-5, openai-compatible:llama3.3 or demo:rules'

/** Throws {@link ModelConfigError} where the text names no model or no known provider. */
export function parseModelSpec(variable: string, text: string): ModelSpec {
  const colon = text.indexOf(':')
  const name = text.slice(0, Math.max(colon, 0)).trim()
  const model = text.slice(colon + 1).trim()
  if (name === '' || model === '') {
    throw new ModelConfigError(`${variable} must be <provider>:<model>, for example ${EXAMPLES}.`)
  }
  if (name === 'demo') {
    if (model === 'rules') return { provider: 'demo' }
    throw new ModelConfigError(`${variable} is "${text}": the built-in demo model is demo:rules.`)
  }
  const provider = NAMES.find((known) => known === name)
  if (provider !== undefined) return { provider, model }
  throw new ModelConfigError(`${variable} names the provider "${name}". Set one of ${NAMES.join(', ')}, demo.`)
}

/** The model where none is named: that of the first provider whose key is set, else the demo model. */
export function defaultSpec(env: Environment): ModelSpec {
  for (const provider of NAMES) {
    const { keyVariable, defaultModel } = PROVIDERS[provider]
    if (defaultModel !== null && isSet(env[keyVariable])) return { provider, model: defaultModel }
  }
  const { baseUrlVariable, keyVariable } = PROVIDERS['openai-compatible']
  const leftover = [baseUrlVariable, keyVariable].find((variable) => isSet(env[variable]))
  if (leftover === undefined) return { provider: 'demo' }
  throw new ModelConfigError(
    `${leftover} is set but SVC_MODEL is not. Name the model too: SVC_MODEL=openai-compatible:<model>.`,
  )
}

export function isSet(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== ''
}
