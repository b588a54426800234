import type { ReactNode } from 'react'
import { SettingsForm } from './settings-form.tsx'
import { useRuntime } from './use-runtime.ts'

/** Name, endpoint and project of the runtime. */
export function SettingsTab(): ReactNode {
  const runtime = useRuntime()
  return <SettingsForm key={runtime.runtimeId} runtime={runtime} />
}
