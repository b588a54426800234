import type { ReactNode } from 'react'
import { Dialog } from '../../ui/dialog.tsx'
import { Form } from '../../ui/form.tsx'
import type { Serve } from './use-serve.ts'

/** The question before a deployment serves everything. */
export function PromoteDialog({ version, serve }: { version: number; serve: Serve }): ReactNode {
  const close = () => serve.ask(null)
  return (
    <Dialog title={`Promote deployment ${version}?`} onClose={close}>
      <Form
        sending={serve.sending}
        onSend={() => serve.promote(version)}
        fields={[]}
        action={`Promote v${version}`}
        onCancel={close}
      >
        <p className="text-sm text-muted">
          It serves everything from the next request on, at the endpoint that its manifest names. What is stable now
          stays to be rolled back to, and a candidate ends.
        </p>
      </Form>
    </Dialog>
  )
}
