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

/** The server's model, with that of SVC_MODEL_FALLBACK behind it where it is set. Throws `ModelConfigError`. */
export async function openModel(options: OpenModelOptions): Promise<Model> {
  const { spec, env, logger } = options
  const first = await open(isSet(spec) ? parseModelSpec('SVC_MODEL', spec) : defaultSpec(env), options)
  const fallback = env['SVC_MODEL_FALLBACK']
  if (!isSet(fallback)) return first
  return fallbackModel(first, await open(parseModelSpec('SVC_MODEL_FALLBACK', fallback), options), logger)
}

async function open(spec: ModelSpec, options: OpenModelOptions): Promise<Model> {
  if (spec.provider === 'demo') return demoModel()
  // The providers' libraries are a fifth of what a start loads, and the demo model needs none of them.
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
