import type { ReactNode } from 'react'
import { DeleteRuntime } from './delete-runtime.tsx'
import { SettingsForm } from './settings-form.tsx'
import { useRuntime } from './use-runtime.ts'

/** Name, endpoint and project of the runtime, and its end. */
export function SettingsTab(): ReactNode {
  const runtime = useRuntime()
  return (
    <div className="flex flex-col gap-6">
      <SettingsForm key={runtime.runtimeId} runtime={runtime} />
      <DeleteRuntime runtime={runtime} />
    </div>
  )
}
