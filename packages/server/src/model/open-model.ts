import type { Environment } from '../lib/environment.ts'
import type { Limits } from '../limits.ts'
import { demoModel } from './demo-model.ts'
import { fallbackModel } from './fallback-model.ts'
import type { Model, ModelLogger } from './model.ts'
import { defaultSpec, isSet, type ModelSpec, parseModelSpec } from './model-spec.ts'
import type { ProviderNetwork } from './providers.ts'

export interface OpenModelOptions {
  /** `<provider>:<model>`; without one, the first provider whose key is in `env`, else the demo model. */
  spec: string | undefined
  env: Environment
  limits: Pick<Limits, 'modelMs'>
  logger?: ModelLogger
  network?: ProviderNetwork
}

/** The server's model, with SVC_MODEL_FALLBACK as its fallback where that is set. Throws `ModelConfigError`. */
export async function openModel(options: OpenModelOptions): Promise<Model> {
  const { spec, env, logger } = options
  const first = await openSpec(isSet(spec) ? parseModelSpec('SVC_MODEL', spec) : defaultSpec(env), options)
  const fallback = env['SVC_MODEL_FALLBACK']
  if (!isSet(fallback)) return first
  return fallbackModel(first, await openSpec(parseModelSpec('SVC_MODEL_FALLBACK', fallback), options), logger)
}

async function openSpec(spec: ModelSpec, options: OpenModelOptions): Promise<Model> {
  if (spec.provider === 'demo') return demoModel()
  // Loaded on demand: the AI SDK is a fifth of the code that a start loads, and the demo model needs none of it.
  const [{ createPost }, { providerModel }, { openProvider }] = await Promise.all([
    import('./chat-completions/post.ts'),
    import('./provider-model.ts'),
    import('./providers.ts'),
  ])
  const { env, limits, logger, network = { fetch: globalThis.fetch, post: createPost() } } = options
  const { source, apiKey } = openProvider(spec, env, network)
  const secrets = apiKey === null ? [] : [apiKey.reveal()]
  return providerModel({ provider: spec.provider, name: spec.model, source, limits, logger, secrets })
}
