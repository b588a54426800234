import type { Generator, SvcConfigInput } from '@svc/contract'

/**
 * Gives `svc.config.ts` its types and changes nothing.
 * @example
 * export default defineConfig({ apiKey: process.env.SVC_API_KEY, endpoint: 'https://shop.example.com/svc' })
 */
export function defineConfig(config: SvcConfigInput): SvcConfigInput {
  return config
}

/**
 * Gives a generator of one’s own its types and changes nothing. It goes into `generators.custom` of the configuration.
 * @example
 * const names = defineGenerator({
 *   name: 'capability-names',
 *   inputs: ({ capabilities }) => capabilities.map(({ name }) => name),
 *   generate: ({ capabilities }) => [{ path: 'names.txt', contents: capabilities.map(({ name }) => name).join('\n') }],
 * })
 */
export function defineGenerator(generator: Generator): Generator {
  return generator
}
