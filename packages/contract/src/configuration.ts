import { z } from 'zod'
import { Adp, Agent, Website } from './deployments.ts'
import { keyKindOf } from './keys.ts'
import { Endpoint } from './web-addresses.ts'

const DeployKey = z
  .string('is required: set SVC_API_KEY in the environment or in .env, and apiKey to process.env.SVC_API_KEY.')
  .superRefine((key, context) => {
    if (keyKindOf(key) === 'deploy') return
    const message = key.startsWith('svc_sk_')
      ? 'is not a complete deploy key: it was cut or mistyped. Copy it again.'
      : 'must be the runtime’s deploy key, which starts with svc_sk_.'
    context.addIssue({ code: 'custom', message })
  })

/** What `svc.config.ts` exports. Unknown fields are refused; every failing field is reported. */
export const SvcConfig = z.strictObject({
  apiKey: DeployKey,
  endpoint: Endpoint.optional(),
  runtime: z.string().min(1).default('.svc/runtime.ts'),
  website: Website.optional(),
  adp: Adp.optional(),
  agent: Agent.optional(),
})
export type SvcConfig = z.infer<typeof SvcConfig>

/** The configuration as an owner writes it: `apiKey` may still be missing from the environment. */
export type SvcConfigInput = Omit<z.input<typeof SvcConfig>, 'apiKey'> & { apiKey: string | undefined }
