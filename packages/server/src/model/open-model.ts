import type { Environment } from '../lib/environment.ts'
import type { Limits } from '../limits.ts'
import { pooledPost } from './chat-completions/pooled-post.ts'
import { postByFetch } from './chat-completions/post.ts'
import { demoModel } from './demo-model.ts'
import { fallbackModel } from './fallback-model.ts'
import type { Model } from './model.ts'
import type { ModelLogger } from './model-logger.ts'
import { isSet, type ModelSpec, parseModelSpec, usualSpec } from './model-spec.ts'
import { providerModel } from './provider-model.ts'
import { openProvider, type ProviderNetwork } from './providers.ts'

export interface OpenModelOptions {
  /** `<provider>:<model>`; without one, the first provider whose key is in `env`, else the demo model. */
  spec: string | undefined
  env: Environment
  limits: Pick<Limits, 'modelMs'>
  logger?: ModelLogger
  /** What the providers' HTTP goes through. */
  fetch?: typeof globalThis.fetch
}

/** The server's model, with the one of SVC_MODEL_FALLBACK behind it where that is set. Throws `ModelConfigError`. */
export async function openModel(options: OpenModelOptions): Promise<Model> {
  const { spec, env, logger } = options
  const first = await open(isSet(spec) ? parseModelSpec('SVC_MODEL', spec) : usualSpec(env), options)
  const fallback = env['SVC_MODEL_FALLBACK']
  if (!isSet(fallback)) return first
  return fallbackModel(first, await open(parseModelSpec('SVC_MODEL_FALLBACK', fallback), options), logger)
}

async function open(spec: ModelSpec, options: OpenModelOptions): Promise<Model> {
  const { env, limits, logger } = options
  if (spec.provider === 'demo') return demoModel()
  const { source, apiKey } = openProvider(spec, env, networkOf(options))
  return providerModel({
    provider: spec.provider,
    name: spec.model,
    source,
    limits,
    logger,
    secrets: apiKey === null ? [] : [apiKey.reveal()],
  })
}

function networkOf({ fetch }: OpenModelOptions): ProviderNetwork {
  if (fetch === undefined) return { fetch: globalThis.fetch, post: pooledPost() }
  return { fetch, post: postByFetch(fetch) }
}
