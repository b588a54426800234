import { type Config, limitVariable } from '../config.ts'
import type { NodeSettings } from '../executions/node-settings-rules.ts'
import { VERSION } from '../lib/version.ts'
import { DEFAULT_LIMITS } from '../limits.ts'
import type { Model } from '../model/model.ts'

/** The settings that callers notice when replicas differ in them. Written to the store and to the log: no secret. */
export function sharedSettings(config: Config, model: Pick<Model, 'provider' | 'name'>): NodeSettings {
  const defaults: Readonly<Record<string, number>> = { ...DEFAULT_LIMITS }
  const limits = Object.entries(config.limits).filter(([name, value]) => value !== defaults[name])
  return {
    version: VERSION,
    ...(config.baseUrl !== null && { SVC_BASE_URL: config.baseUrl }),
    SVC_MODEL: `${model.provider}:${model.name}`,
    ...(config.modelPrices && { SVC_MODEL_PRICES: Object.values(config.modelPrices).join('/') }),
    ...(config.mail && { SVC_MAIL_FROM: config.mail.from.address }),
    SVC_TRUST_PROXY: config.proxyHops,
    SVC_ALLOW_LOCAL_ENDPOINTS: config.allowLocalEndpoints,
    SVC_TEST_PAYMENTS: config.testPayments,
    ...Object.fromEntries(limits.map(([name, value]) => [limitVariable(name), value])),
  }
}
