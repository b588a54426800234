import * as z from 'zod'
import { Adp, Agent, Website } from './deployments.ts'
import { EndUsers } from './end-users.ts'
import { Generators } from './generators.ts'
import { keyKindOf } from './keys.ts'
import { Endpoint } from './web-addresses.ts'

const DeployKey = z
  .string('is required: set SVC_API_KEY in the environment or in .env, and apiKey to process.env.SVC_API_KEY.')
  .superRefine((key, context) => {
    if (keyKindOf(key) === 'deploy') return
    context.addIssue({ code: 'custom', message: deployKeyProblem(key) })
  })

function deployKeyProblem(key: string): string {
  if (key === '') return 'is empty: set SVC_API_KEY to the runtime’s deploy key, which starts with svc_sk_.'
  if (key.startsWith('svc_sk_')) return 'is not a complete deploy key: it was cut or mistyped. Copy it again.'
  return 'must be the runtime’s deploy key, which starts with svc_sk_.'
}

const SETTINGS = {
  endpoint: Endpoint.optional(),
  runtime: z.string().min(1).default('.svc/runtime.ts'),
  website: Website.optional(),
  adp: Adp.optional(),
  agent: Agent.optional(),
  endUsers: EndUsers.optional(),
  generators: Generators.optional(),
}

/** What `svc.config.ts` says beside the key: all that checking, generating and serving on one’s own machine need. */
export const SvcSettings = z.strictObject(SETTINGS)
export type SvcSettings = z.infer<typeof SvcSettings>

/** What `svc.config.ts` exports. Unknown fields are refused; every failing field is reported. */
export const SvcConfig = z.strictObject({ apiKey: DeployKey, ...SETTINGS })
export type SvcConfig = z.infer<typeof SvcConfig>

/** The configuration as an owner writes it: `apiKey` may still be missing from the environment. */
export type SvcConfigInput = Omit<z.input<typeof SvcConfig>, 'apiKey'> & { apiKey: string | undefined }
