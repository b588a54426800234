import { createConfig, lintFromString } from '@redocly/openapi-core'

/** Findings of a linter’s recommended rules, all of which are on but for those that are named here. */
export async function findings(document: object, rules: Readonly<Record<string, 'off'>> = {}): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'], rules: { ...rules }, telemetry: 'off' })
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: '/openapi.json', config })
  return problems.map(({ ruleId, message, location }) => `${ruleId} at ${location[0]?.pointer}: ${message}`)
}
