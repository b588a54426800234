import * as z from 'zod'
import { GivenCode, GivenPassword } from './accounts.ts'
import { Timestamp } from './json.ts'

const Confirm = z.string().min(1).max(254)

/** Body of `DELETE /v1/runtimes/<runtime_id>`. */
export const DeleteRuntimeRequest = z.strictObject({ confirm: Confirm.describe('The name of the runtime.') })
export type DeleteRuntimeRequest = z.infer<typeof DeleteRuntimeRequest>

export const DeletedRuntime = z.object({ runtimeId: z.string(), deletedAt: Timestamp })
export type DeletedRuntime = z.infer<typeof DeletedRuntime>

/** Body of `DELETE /v1/projects/<project_id>`. */
export const DeleteProjectRequest = z.strictObject({ confirm: Confirm.describe('The name of the project.') })
export type DeleteProjectRequest = z.infer<typeof DeleteProjectRequest>

export const DeletedProject = z.object({ projectId: z.string(), deletedAt: Timestamp })
export type DeletedProject = z.infer<typeof DeletedProject>

/** Body of `DELETE /v1/account`. */
export const DeleteAccountRequest = z.strictObject({
  confirm: Confirm.describe('The e-mail address of the account.'),
  password: GivenPassword,
  code: GivenCode.optional().describe(
    'Six digits of the account’s app, or a recovery code, where two-factor sign-in is on.',
  ),
  cancelSubscription: z
    .boolean()
    .optional()
    .describe('True where a subscription pays for the account’s plan: it is cancelled at once, without a refund.'),
})
export type DeleteAccountRequest = z.infer<typeof DeleteAccountRequest>

export const DeletedAccount = z.object({ ownerId: z.string(), deletedAt: Timestamp })
export type DeletedAccount = z.infer<typeof DeletedAccount>
