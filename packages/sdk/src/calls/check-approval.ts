import { type CapabilityCall, fieldErrorsOf, Preview, previewHash } from '@svc/contract'
import type { AnyCapability, CapabilityContext } from '../capabilities/define-capability.ts'
import type { FailedOutcome } from './run-capability.ts'

/** A preview as it is answered, or why there is none. */
export type MadePreview = { readonly ok: true; readonly preview: Preview } | FailedOutcome

/** What a capability says that a call would do. Rejects where `preview` does. */
export async function makePreview(
  capability: Pick<AnyCapability, 'name' | 'preview'>,
  input: unknown,
  context: CapabilityContext,
): Promise<MadePreview> {
  const parsed = Preview.safeParse(await capability.preview?.(input, context))
  if (parsed.success) return { ok: true, preview: parsed.data }
  const message = `“${capability.name}” made a preview that cannot be shown.`
  const faults = Object.entries(fieldErrorsOf(parsed.error, 'preview')).map(
    ([field, each]) => `${field} ${each.join(' ')}`,
  )
  return { ok: false, code: 'output_invalid', message, error: new TypeError(`${message} ${faults.join(' ')}`) }
}

/** Why a call may not run yet, or null: its preview has changed, or nobody has approved it. Rejects where `preview` does. */
export async function approvalProblem(
  capability: AnyCapability,
  call: Pick<CapabilityCall, 'approvalId' | 'previewHash'>,
  { input, context }: { input: unknown; context: CapabilityContext },
): Promise<FailedOutcome | null> {
  const { confirm = false } = capability
  const isApproved = call.approvalId !== undefined
  if (!confirm && !isApproved && call.previewHash === undefined) return null
  if (!capability.preview) return confirm && !isApproved ? approvalRequired(capability) : null
  const made = await makePreview(capability, input, context)
  if (!made.ok) return made
  const isSame = call.previewHash === (await previewHash(made.preview))
  if ((isApproved || call.previewHash !== undefined) && !isSame) return PREVIEW_CHANGED
  return isApproved || !confirm || made.preview.confirm === false ? null : approvalRequired(capability)
}

// Read by the model and by the person who approved.
const PREVIEW_CHANGED: FailedOutcome = {
  ok: false,
  code: 'preview_changed',
  message:
    'This was not done: something has changed since it was approved, such as a price. Ask again to see it as it is now.',
}

function approvalRequired({ name }: AnyCapability): FailedOutcome {
  const message = `“${name}” was not run: a person has to approve it first.`
  return { ok: false, code: 'approval_required', message }
}
