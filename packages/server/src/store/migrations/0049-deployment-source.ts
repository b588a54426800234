import type { ColumnTypes } from './column-types.ts'

/** What a deployment's files are in git, and who deployed it. */
export function deploymentSource({ text }: ColumnTypes): string[] {
  return [`alter table deployments add column source ${text}`, `alter table deployments add column deployed_by ${text}`]
}
