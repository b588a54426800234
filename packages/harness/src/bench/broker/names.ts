import type { Engine } from '../../support/arguments.ts'

/** Those that take turns, as they stand in the tables. */
export const NAMES = {
  nginx: 'nginx',
  proxy: 'bare proxy',
  proxyAgain: 'bare proxy, again',
  signingProxy: 'bare proxy that signs',
  sqlite: 'svc on SQLite',
  postgres: 'svc on PostgreSQL',
  withoutBatches: 'svc on SQLite, one transaction each',
  peer: 'peer gateway',
} as const

export function serviceName(engine: Engine): string {
  return NAMES[engine]
}

/** The copy of a service that writes nothing of its executions. */
export function withoutWrites(service: string): string {
  return `${service}, nothing written`
}
