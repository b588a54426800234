import { RuntimeId } from '@svc/contract'

/** The runtime's id and secret from registration, usually read from the environment. */
export interface CredentialOptions {
  /** The id that registration gave, `rt_…`. */
  readonly runtimeId: string | undefined
  /** The signing secret that registration gave; during a rotation a list of the new one and the old one. */
  readonly secret: string | undefined | readonly (string | undefined)[]
}

export type Credentials =
  | { readonly ok: true; readonly runtimeId: string; readonly secrets: readonly string[] }
  | { readonly ok: false; readonly problem: string }

/** Reads the credentials of a runtime; where they are missing or something else, `problem` names each that is. */
export function readCredentials(options: CredentialOptions): Credentials {
  const runtimeId = RuntimeId.safeParse(options.runtimeId)
  const secrets = [options.secret].flat().flatMap((each) => each || [])
  const problems = [
    ...(runtimeId.success ? [] : ['runtimeId must be the id from registration, “rt_…”. Is it in the environment?']),
    ...secretProblems(secrets),
  ]
  if (runtimeId.success && problems.length === 0) return { ok: true, runtimeId: runtimeId.data, secrets }
  return { ok: false, problem: problems.join(' ') }
}

function secretProblems(secrets: readonly string[]): string[] {
  if (secrets.length === 0) return ['secret must be the runtime’s signing secret. Is it in the environment?']
  if (!secrets.some((secret) => secret.startsWith('svc_'))) return []
  return ['secret must be the signing secret that registration gave, not a key.']
}
