import type { Environment } from '../lib/environment.ts'

/** The environment names no usable model. The message names the variable and says what to set. */
export class ModelConfigError extends Error {
  override name = 'ModelConfigError'
}

/** The variables of a provider, and what holds where they are not set. */
interface ProviderSettings {
  /** The protocol of its API. */
  dialect: 'chat-completions' | 'anthropic' | 'google'
  keyVariable: string
  isKeyRequired: boolean
  addressVariable: string
  /** Where `addressVariable` is not set. Null: there is none, so the variable is required. */
  address: string | null
  /** The model where SVC_MODEL is not set and this provider's key is: a small one, by a name that lasts. Null: never. */
  defaultModel: string | null
}

/** In order of preference: without SVC_MODEL the first whose key is set is used. */
const NAMES = ['openai', 'anthropic', 'google', 'openai-compatible'] as const
type ProviderName = (typeof NAMES)[number]

export const PROVIDERS: Readonly<Record<ProviderName, ProviderSettings>> = {
  openai: {
    dialect: 'chat-completions',
    keyVariable: 'OPENAI_API_KEY',
    isKeyRequired: true,
    addressVariable: 'OPENAI_BASE_URL',
    address: 'https://api.openai.com/v1',
    defaultModel: 'gpt-5-mini',
  },
  anthropic: {
    dialect: 'anthropic',
    keyVariable: 'ANTHROPIC_API_KEY',
    isKeyRequired: true,
    addressVariable: 'ANTHROPIC_BASE_URL',
    address: 'https://api.anthropic.com/v1',
    defaultModel: 'claude-haiku-4-5',
  },
  google: {
    dialect: 'google',
    keyVariable: 'GOOGLE_GENERATIVE_AI_API_KEY',
    isKeyRequired: true,
    addressVariable: 'GOOGLE_BASE_URL',
    address: 'https://generativelanguage.googleapis.com/v1beta',
    defaultModel: 'gemini-flash-latest',
  },
  'openai-compatible': {
    dialect: 'chat-completions',
    keyVariable: 'SVC_MODEL_API_KEY',
    isKeyRequired: false,
    addressVariable: 'SVC_MODEL_BASE_URL',
    address: null,
    defaultModel: null,
  },
}

/** A model as `<provider>:<model>` names it. */
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
  const { addressVariable, keyVariable } = PROVIDERS['openai-compatible']
  const halfSet = [addressVariable, keyVariable].find((variable) => isSet(env[variable]))
  if (halfSet === undefined) return { provider: 'demo' }
  throw new ModelConfigError(
    `${halfSet} is set but SVC_MODEL is not. Name the model too: SVC_MODEL=openai-compatible:<model>.`,
  )
}

export function isSet(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== ''
}
