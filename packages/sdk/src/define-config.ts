import type { SvcConfigInput } from '@svc/contract'

/**
 * Gives `svc.config.ts` its types and changes nothing.
 * @example
 * export default defineConfig({ apiKey: process.env.SVC_API_KEY, endpoint: 'https://shop.example.com/svc' })
 */
export function defineConfig(config: SvcConfigInput): SvcConfigInput {
  return config
}
