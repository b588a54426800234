import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import type { Environment } from '../lib/environment.ts'
import { Secret } from '../secrets/secret.ts'
import { aiSdkSource } from './ai-sdk-source.ts'
import { chatCompletionsSource } from './chat-completions/chat-completions-source.ts'
import type { Post } from './chat-completions/post.ts'
import { isSet, ModelConfigError, PROVIDERS, type ProviderSpec } from './model-spec.ts'
import type { TurnSource } from './turn-source.ts'

/** The AI SDK's clients use `fetch`, our client of the chat-completions dialect uses `post`. */
export interface ProviderNetwork {
  fetch: typeof globalThis.fetch
  post: Post
}

/** Opens a provider's model. The key is null where the provider needs none and none is set. */
export function openProvider(
  spec: ProviderSpec,
  env: Environment,
  { fetch, post }: ProviderNetwork,
): { source: TurnSource; apiKey: Secret | null } {
  const { provider, model } = spec
  const apiKey = apiKeyOf(spec, env)
  const baseUrl = baseUrlOf(spec, env)
  // Without an explicit base URL and key the AI SDK would read the environment of the process.
  const options = { apiKey: apiKey?.reveal() ?? '', baseURL: baseUrl, fetch }
  switch (PROVIDERS[provider].dialect) {
    case 'anthropic':
      return { source: aiSdkSource(createAnthropic(options)(model)), apiKey }
    case 'google':
      return { source: aiSdkSource(createGoogleGenerativeAI(options)(model)), apiKey }
    case 'chat-completions':
      return { source: chatCompletionsSource({ baseUrl, model, apiKey, post }), apiKey }
  }
}

function apiKeyOf({ provider }: ProviderSpec, env: Environment): Secret | null {
  const { keyVariable, isKeyRequired } = PROVIDERS[provider]
  const key = env[keyVariable]
  if (isSet(key)) return new Secret(key.trim())
  if (!isKeyRequired) return null
  throw new ModelConfigError(
    `The model provider ${provider} needs ${keyVariable}. Set it, or set SVC_MODEL=demo:rules to try the service without a key.`,
  )
}

function baseUrlOf({ provider, model }: ProviderSpec, env: Environment): string {
  const { baseUrlVariable, defaultBaseUrl } = PROVIDERS[provider]
  const given = env[baseUrlVariable]
  const text = isSet(given) ? given.trim() : defaultBaseUrl
  if (text === null) {
    throw new ModelConfigError(
      `${provider}:${model} needs ${baseUrlVariable}: set it to the server’s address, such as http://localhost:11434/v1.`,
    )
  }
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text.replace(/\/$/, '')
  throw new ModelConfigError(
    `${baseUrlVariable} must be an http:// or https:// address, such as http://localhost:11434/v1.`,
  )
}
