import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import type { Environment } from '../lib/environment.ts'
import { Secret } from '../secrets/secret.ts'
import { chatCompletionsSource } from './chat-completions/chat-completions-source.ts'
import type { Post } from './chat-completions/post.ts'
import { librarySource } from './library-source.ts'
import { ModelConfigError } from './model-config-error.ts'
import { isSet, type ModelSpec, type ProviderName } from './model-spec.ts'
import type { TurnSource } from './turn-source.ts'

interface ProviderAccess {
  source: TurnSource
  /** The credential, or null where the server asks for none. */
  apiKey: Secret | null
}

/** What providers are reached through: their libraries, and our own adapter. */
export interface ProviderNetwork {
  fetch: typeof globalThis.fetch
  post: Post
}

/** Every address and key is passed on explicitly: left out, the libraries would read the process's environment. */
export function openProvider(spec: ModelSpec, env: Environment, network: ProviderNetwork): ProviderAccess {
  const { fetch, post } = network
  switch (spec.provider) {
    case 'openai': {
      const apiKey = requiredKey(env, spec.provider, 'OPENAI_API_KEY')
      const baseUrl = addressOr(env, 'OPENAI_BASE_URL', 'https://api.openai.com/v1')
      return { source: chatCompletionsSource({ baseUrl, model: spec.model, apiKey, post }), apiKey }
    }
    case 'anthropic': {
      const apiKey = requiredKey(env, spec.provider, 'ANTHROPIC_API_KEY')
      const baseURL = addressOr(env, 'ANTHROPIC_BASE_URL', 'https://api.anthropic.com/v1')
      return { source: librarySource(createAnthropic({ apiKey: apiKey.reveal(), baseURL, fetch })(spec.model)), apiKey }
    }
    case 'google': {
      const apiKey = requiredKey(env, spec.provider, 'GOOGLE_GENERATIVE_AI_API_KEY')
      const baseURL = addressOr(env, 'GOOGLE_BASE_URL', 'https://generativelanguage.googleapis.com/v1beta')
      const provider = createGoogleGenerativeAI({ apiKey: apiKey.reveal(), baseURL, fetch })
      return { source: librarySource(provider(spec.model)), apiKey }
    }
    case 'openai-compatible':
      return openCompatible(spec, env, network)
    case 'demo':
      throw new ModelConfigError('demo:rules is built in and reached through no provider.')
    default:
      return spec.provider satisfies never
  }
}

function openCompatible(spec: ModelSpec, env: Environment, { post }: ProviderNetwork): ProviderAccess {
  const baseURL = env['SVC_MODEL_BASE_URL']
  if (!isSet(baseURL)) {
    throw new ModelConfigError(
      `openai-compatible:${spec.model} needs SVC_MODEL_BASE_URL: set it to the server’s address, such as http://localhost:11434/v1.`,
    )
  }
  const key = env['SVC_MODEL_API_KEY']
  const apiKey = isSet(key) ? new Secret(key.trim()) : null
  const source = chatCompletionsSource({
    baseUrl: address('SVC_MODEL_BASE_URL', baseURL),
    model: spec.model,
    apiKey,
    post,
  })
  return { source, apiKey }
}

function requiredKey(env: Environment, provider: ProviderName, variable: string): Secret {
  const key = env[variable]
  if (isSet(key)) return new Secret(key.trim())
  throw new ModelConfigError(
    `The model provider ${provider} needs ${variable}. Set it, or set SVC_MODEL=demo:rules to try the service without a key.`,
  )
}

function addressOr(env: Environment, variable: string, usual: string): string {
  const value = env[variable]
  return isSet(value) ? address(variable, value) : usual
}

function address(variable: string, value: string): string {
  const url = URL.canParse(value.trim()) ? new URL(value.trim()) : null
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return value.trim().replace(/\/$/, '')
  throw new ModelConfigError(`${variable} must be an http:// or https:// address, such as http://localhost:11434/v1.`)
}
